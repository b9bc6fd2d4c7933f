#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A response in a store: its head, and how to find its body.
public struct StoredResponse: Sendable, Identifiable {
  /// The number its store gave it, which no other response ever has.
  public let id: Int64
  /// Everything but the body.
  public let head: StoredHead
  /// The length of the body in bytes.
  public let length: Int64
  /// The body, when the store has it at hand; `nil` when it is to be read by ``CacheStore/body(of:)``.
  public let body: Data?

  /// A stored response.
  public init(id: Int64, head: StoredHead, length: Int64, body: Data? = nil) {
    self.id = id
    self.head = head
    self.length = length
    self.body = body
  }
}
