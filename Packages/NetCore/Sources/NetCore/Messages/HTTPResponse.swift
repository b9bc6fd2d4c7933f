#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A response as transports and middlewares see it: the head, and a body that may still be on its way.
public struct HTTPResponse: Sendable {
  /// The status code.
  public var status: Status
  /// The header fields, in the order they came.
  public var fields: HTTPFields
  /// The content.
  public var body: Body
  /// Where the response came from, when that is not the URL that was asked for; `nil` means it is.
  public var url: URL?
  /// What is known about the exchange.
  public var info: ExchangeInfo

  /// A response with the given head and content.
  public init(
    status: Status = .ok, fields: HTTPFields = [:], body: Body = .empty, url: URL? = nil,
    info: ExchangeInfo = ExchangeInfo()
  ) {
    self.status = status
    self.fields = fields
    self.body = body
    self.url = url
    self.info = info
  }
}
