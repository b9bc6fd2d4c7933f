#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A response as transports and middlewares see it: the head, and a body that may still be on its way.
public struct HTTPResponse: Sendable {
  private struct Parts {
    var status: Status
    var fields: HTTPFields
    var body: Body
    var url: URL?
    var info: ExchangeInfo
  }

  private var parts: CopyOnWrite<Parts>

  /// A response with the given head and content.
  public init(
    status: Status = .ok, fields: HTTPFields = [:], body: Body = .empty, url: URL? = nil,
    info: ExchangeInfo = ExchangeInfo()
  ) {
    parts = CopyOnWrite(Parts(status: status, fields: fields, body: body, url: url, info: info))
  }

  /// The status code.
  public var status: Status {
    get { parts.value.status }
    set { parts.value.status = newValue }
  }

  /// The header fields, in the order they came.
  public var fields: HTTPFields {
    get { parts.value.fields }
    _modify { yield &parts.value.fields }
  }

  /// The content.
  public var body: Body {
    get { parts.value.body }
    set { parts.value.body = newValue }
  }

  /// Where the response came from, when that is not the URL that was asked for; `nil` means it is.
  public var url: URL? {
    get { parts.value.url }
    set { parts.value.url = newValue }
  }

  /// What is known about the exchange.
  public var info: ExchangeInfo {
    get { parts.value.info }
    _modify { yield &parts.value.info }
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
