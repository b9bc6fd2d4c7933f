#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes the wire form of an application's requests. What is the same for all of a client's is made once.
struct RequestEncoder: Sendable {
  private let configuration: HTTPClient.Configuration
  private let base: BaseURL
  private let commonFields: HTTPFields

  init(_ configuration: HTTPClient.Configuration) {
    self.configuration = configuration
    base = BaseURL(configuration.baseURL)
    var fields: HTTPFields = [:]
    fields[.userAgent] = configuration.userAgent
    commonFields = fields
  }

  /// The wire form of `request`.
  ///
  /// - Throws: ``APIError`` of kind `invalidURL` or `invalidRequest`, with the remedy.
  func encode<R: APIRequest>(_ request: R) throws -> HTTPRequest {
    let (body, contentType) = try request.body.encode(with: configuration.coders)
    let url = try url(of: request)
    var fields: HTTPFields = [:]
    fields.reserveCapacity(8)
    fields.append(.accept, accept(for: R.Response.self))
    if let contentType { fields.append(.contentType, contentType) }
    fields.append(contentsOf: commonFields)
    if let cacheControl = request.cacheMode.cacheControl { fields.append(.cacheControl, cacheControl) }
    if let key = request.idempotencyKey?.fieldValue { fields.append(.idempotencyKey, key) }
    if request.absoluteURL == nil || url.hasSameOrigin(as: configuration.baseURL) {
      fields.override(with: configuration.defaultFields)
    }
    fields.override(with: request.fields)
    let encoded = HTTPRequest(method: request.method, url: url, fields: fields, body: body)
    try encoded.validate()
    return encoded
  }

  /// The base URL with the path and the query appended, or the absolute URL with the query.
  private func url(of request: some APIRequest) throws -> URL {
    if let problem = request.path.problem { throw APIError.invalidURL(problem) }
    if let absolute = request.absoluteURL { return try BaseURL(absolute).url(path: "", query: request.query) }
    return try base.url(path: request.path.encoded, query: request.query)
  }

  private func accept(for type: Any.Type) -> String {
    type == Void.self || type == EmptyResponse.self || type == Data.self || type == String.self
      ? "*/*" : configuration.coders.decoder.accept
  }
}

/// A URL taken apart where a path and a query are appended.
private struct BaseURL: Sendable {
  private let url: URL
  /// Scheme, authority and path. A scheme means the same in any case (RFC 3986, section 3.1); not every transport knows.
  private let front: String
  private let endsWithSlash: Bool
  private let query: String

  init(_ url: URL) {
    self.url = url
    let parts = url.absoluteString.prefix { $0 != "#" }
      .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let scheme = url.scheme ?? ""
    front = scheme.lowercased() + (parts.first?.dropFirst(scheme.count) ?? "")
    endsWithSlash = front.hasSuffix("/")
    query = parts.count > 1 ? String(parts[1]) : ""
  }

  func url(path: String, query: Query) throws -> URL {
    var text = front
    if !path.isEmpty {
      if !endsWithSlash { text += "/" }
      text += path
    }
    if !self.query.isEmpty { text += "?" + self.query }
    if !query.isEmpty { text += (self.query.isEmpty ? "?" : "&") + query.encoded }
    guard let url = URL(string: text, encodingInvalidCharacters: false) else {
      throw APIError.invalidURL("\(Redactor.standard.redact(url)) does not make a URL: check the client's base URL.")
    }
    return url
  }
}
