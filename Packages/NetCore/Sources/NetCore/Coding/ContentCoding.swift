#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Turns values into content.
public protocol ContentEncoder: Sendable {
  /// The media type of the content, sent as `Content-Type`.
  var contentType: String { get }
  /// `value` as content.
  func encode(_ value: some Encodable) throws -> Data
}

/// Turns content into values.
public protocol ContentDecoder: Sendable {
  /// The media types it reads, sent as `Accept`.
  var accept: String { get }
  /// `content` as a value.
  ///
  /// - Throws: Swift's `DecodingError`, from which an ``APIError`` of kind `decoding` takes its path; or any other error.
  func decode<Value: Decodable>(_ type: Value.Type, from content: Data) throws -> Value
}
