#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A file that was downloaded as a whole, checked, and put in its place.
public struct DownloadedFile: Sendable {
  /// Where it is.
  public let url: URL
  /// Its length in bytes.
  public let size: Int64
  /// How many of them were there already, from a download that did not get to its end.
  public let resumedSize: Int64
  /// How many requests it took.
  public let requests: Int
  /// The header fields of the last response.
  public let fields: HTTPFields
}
