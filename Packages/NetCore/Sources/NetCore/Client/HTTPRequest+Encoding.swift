#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPRequest {
  /// The wire form of an application's request.
  ///
  /// - Throws: ``APIError`` of kind `invalidURL` or `invalidRequest`, with the remedy.
  init<R: APIRequest>(encoding request: R, for configuration: HTTPClient.Configuration) throws {
    let (body, contentType) = try request.body.encode(with: configuration.coders)
    let url = try URL(of: request, baseURL: configuration.baseURL)
    var fields: HTTPFields = [:]
    fields[.accept] = Self.accept(for: R.Response.self, coders: configuration.coders)
    fields[.contentType] = contentType
    fields[.userAgent] = configuration.userAgent
    fields[.cacheControl] = request.cacheMode.cacheControl
    fields[.idempotencyKey] = request.idempotencyKey?.fieldValue
    if request.absoluteURL == nil || url.hasSameOrigin(as: configuration.baseURL) {
      fields.override(with: configuration.defaultFields)
    }
    fields.override(with: request.fields)
    self.init(method: request.method, url: url, fields: fields, body: body)
    try validate()
  }

  private static func accept(for type: Any.Type, coders: Coders) -> String {
    type == Void.self || type == EmptyResponse.self || type == Data.self || type == String.self
      ? "*/*" : coders.decoder.accept
  }
}

extension URL {
  /// The URL of `request`: the base URL with the path and the query appended, or the absolute URL with the query.
  fileprivate init(of request: some APIRequest, baseURL: URL) throws {
    if let problem = request.path.problem { throw APIError.invalidURL(problem) }
    let base = request.absoluteURL ?? baseURL
    let parts = base.absoluteString.prefix { $0 != "#" }
      .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var text = String(parts[0])
    if !request.path.encoded.isEmpty, request.absoluteURL == nil {
      text += text.hasSuffix("/") ? request.path.encoded : "/" + request.path.encoded
    }
    let queries = parts.dropFirst().map(String.init) + [request.query.encoded]
    let query = queries.filter { !$0.isEmpty }.joined(separator: "&")
    if !query.isEmpty { text += "?" + query }
    // A scheme means the same in any case (RFC 3986, section 3.1); not every transport knows.
    if let scheme = base.scheme { text = scheme.lowercased() + text.dropFirst(scheme.count) }
    guard let url = URL(string: text, encodingInvalidCharacters: false) else {
      throw APIError.invalidURL("\(Redactor.standard.redact(base)) does not make a URL: check the client's base URL.")
    }
    self = url
  }

  /// Whether scheme, host and port are the same (RFC 6454, section 5).
  func hasSameOrigin(as other: URL) -> Bool {
    scheme?.lowercased() == other.scheme?.lowercased() && host()?.lowercased() == other.host()?.lowercased()
      && effectivePort == other.effectivePort
  }

  private var effectivePort: Int? {
    port ?? (scheme?.lowercased() == "https" ? 443 : scheme?.lowercased() == "http" ? 80 : nil)
  }
}
