#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A request as transports and middlewares see it: ready for the wire.
///
/// Application code describes requests with ``APIRequest`` or ``Endpoint``; a client makes these from them.
public struct HTTPRequest: Sendable {
  private struct Parts {
    var method: Method
    var url: URL
    var fields: HTTPFields
    var body: HTTPBody
  }

  private var parts: CopyOnWrite<Parts>

  /// A request for `url`.
  public init(method: Method = .get, url: URL, fields: HTTPFields = [:], body: HTTPBody = .empty) {
    parts = CopyOnWrite(Parts(method: method, url: url, fields: fields, body: body))
  }

  /// The method. Default: `GET`.
  public var method: Method {
    get { parts.value.method }
    set { parts.value.method = newValue }
  }

  /// The absolute `http` or `https` URL.
  public var url: URL {
    get { parts.value.url }
    set { parts.value.url = newValue }
  }

  /// The header fields, in the order they are sent.
  public var fields: HTTPFields {
    get { parts.value.fields }
    _modify { yield &parts.value.fields }
  }

  /// The content. Default: none.
  public var body: HTTPBody {
    get { parts.value.body }
    set { parts.value.body = newValue }
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
