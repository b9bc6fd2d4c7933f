#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a call brought: the value, and the response it came in.
public struct Reply<Value: Sendable>: Sendable {
  /// The decoded value.
  public var value: Value
  /// The response's status.
  public var status: HTTPResponse.Status
  /// The response's header fields.
  public var fields: HTTPFields
  /// Where the response came from; `nil` for a reply that came from nowhere, as a fake's may.
  public var url: URL?
  /// What is known about the exchange.
  public var info: ExchangeInfo

  /// A reply; a fake needs no more than `Reply(value)`.
  public init(
    _ value: Value, status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], url: URL? = nil,
    info: ExchangeInfo = ExchangeInfo()
  ) {
    self.value = value
    self.status = status
    self.fields = fields
    self.url = url
    self.info = info
  }
}

extension Reply: CustomStringConvertible, CustomDebugStringConvertible {
  /// The status and the value, whose own description tells what it tells; the URL and the fields are left out.
  public var description: String { "\(status): \(value)" }

  /// The same as ``description``: the URL may hold a secret.
  public var debugDescription: String { description }
}
