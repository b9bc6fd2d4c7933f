#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A request as transports and middlewares see it: ready for the wire.
///
/// Application code describes requests with ``APIRequest`` or ``Endpoint``; a client makes these from them.
public struct HTTPRequest: Sendable {
  /// The method. Default: `GET`.
  public var method: Method
  /// The absolute `http` or `https` URL.
  public var url: URL
  /// The header fields, in the order they are sent.
  public var fields: HTTPFields
  /// The content. Default: none.
  public var body: HTTPBody

  /// A request for `url`.
  public init(method: Method = .get, url: URL, fields: HTTPFields = [:], body: HTTPBody = .empty) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
  }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Method and URL, with what ``Redactor/standard`` does not allow hidden.
  public var description: String {
    "\(method) \(Redactor.standard.redact(url))"
  }

  /// The same as ``description``: printing a request leaks no secret.
  public var debugDescription: String { description }

  /// No children: neither does dumping one.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
