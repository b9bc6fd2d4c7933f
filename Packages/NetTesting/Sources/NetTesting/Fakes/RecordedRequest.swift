public import Foundation
public import NetCore

/// A request that reached a stub or fake, with its whole body.
public struct RecordedRequest: Sendable {
  /// The method.
  public let method: HTTPRequest.Method
  /// The URL.
  public let url: URL
  /// The header fields.
  public let fields: HTTPFields
  /// The bytes of the body; empty when there was none.
  public let body: Data
  /// Which attempt of its call it was, from 1.
  public let attempt: Int

  /// A recorded request.
  public init(
    method: HTTPRequest.Method, url: URL, fields: HTTPFields = [:], body: Data = Data(), attempt: Int = 1
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
    self.attempt = attempt
  }

  /// The path of the URL as it stands there, percent-encoded.
  public var path: String {
    url.path(percentEncoded: true)
  }

  /// The first value of the query item called `name`, decoded.
  public func queryItem(_ name: String) -> String? {
    queryItems(name).first
  }

  /// The values of all query items called `name`, decoded; one without a `=` has none.
  public func queryItems(_ name: String) -> [String] {
    let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
    return items.filter { $0.name == name }.compactMap(\.value)
  }

  /// The body as text.
  public var text: String {
    String(decoding: body, as: UTF8.self)
  }
}

extension RecordedRequest: CustomStringConvertible, CustomDebugStringConvertible {
  /// Method and URL, with what `Redactor.standard` does not allow hidden.
  public var description: String {
    HTTPRequest(method: method, url: url).description
  }

  /// The same as ``description``: printing a request leaks no secret.
  public var debugDescription: String { description }
}
