public import NetCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Everything of a stored response but its body: what a store writes down, and a ``CachePolicy`` decides by.
///
/// A class, so that a store in memory hands it out without copying it.
public final class StoredHead: Sendable {
  /// What the response is found by.
  public let key: CacheKey
  /// Tells the variants of a key apart: a digest of the request's fields that `Vary` names, so that none of their values
  /// is stored; empty when it names none.
  public let variant: String
  /// The status.
  public let status: HTTPResponse.Status
  /// The fields to store: without those of a connection, and without `Set-Cookie`.
  public let fields: HTTPFields
  /// When the request was sent, or the last one that confirmed the response.
  public let requestTime: Date
  /// When its response came.
  public let responseTime: Date
  /// What the fields say about storing and using the response, parsed once.
  let facts: ResponseFacts

  /// A head as a store wrote it down.
  public convenience init(
    key: CacheKey, variant: String, status: HTTPResponse.Status, fields: HTTPFields, requestTime: Date,
    responseTime: Date
  ) {
    self.init(
      key: key, variant: variant, status: status, fields: fields, requestTime: requestTime, responseTime: responseTime,
      facts: ResponseFacts(fields, receivedAt: responseTime))
  }

  init(
    key: CacheKey, variant: String, status: HTTPResponse.Status, fields: HTTPFields, requestTime: Date,
    responseTime: Date, facts: ResponseFacts
  ) {
    self.key = key
    self.variant = variant
    self.status = status
    self.fields = fields
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.facts = facts
  }

  /// The bytes it counts for against a store's limits: its text, and 256 for what holds it.
  public var size: Int64 {
    let text = fields.reduce(key.url.utf8.count + key.partition.utf8.count + variant.utf8.count) {
      $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4
    }
    return Int64(text + 256)
  }
}
