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

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The status and the names of the fields: printing a response leaks no secret.
  public var description: String { "\(status) (\(fields.map(\.name.rawName).joined(separator: ", ")))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// No children: neither does dumping one.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
