#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPRequest {
  /// Throws unless every transport can send this request as it is. Transports call it before anything else.
  ///
  /// - Throws: ``APIError`` of kind `invalidURL` for a URL that is not absolute `http` or `https`, has no host, or
  ///   carries a user name or password; of kind `invalidRequest` for `CONNECT`, for a field value that was refused
  ///   (``HTTPFields/rejected``), and for a framing field that contradicts the request. Framing is the transport's:
  ///   `Transfer-Encoding`, `Connection`, `Upgrade` and their like are always refused, `Content-Length` and `Host` when
  ///   they differ from the body's length and the URL's host (RFC 9112, section 6; CWE-444).
  public func validate() throws {
    try validateURL()
    if method == .connect {
      throw APIError.invalidRequest("CONNECT opens a tunnel and is not a request for a resource: use another method.")
    }
    if let name = fields.rejected.first {
      throw APIError.invalidRequest(
        "The value of the field \(name) has a control character (CR, LF, NUL or another), which could split the request: "
          + "remove or encode it.")
    }
    for field in fields { try validate(framing: field) }
  }

  private func validateURL() throws {
    if url.isPlainlyValid { return }
    let scheme = url.scheme?.lowercased()
    guard scheme == "http" || scheme == "https" else {
      throw APIError.invalidURL("\(Redactor.standard.redact(url)) is not an http or https URL: give one with a scheme.")
    }
    guard let host = url.host(percentEncoded: true), !host.isEmpty else {
      throw APIError.invalidURL("\(Redactor.standard.redact(url)) has no host: write it as https://host/path.")
    }
    guard url.user(percentEncoded: true) == nil, url.password(percentEncoded: true) == nil else {
      throw APIError.invalidURL(
        "The URL of \(host) carries a user name or password: remove it and set the Authorization field instead.")
    }
    guard url.absoluteString.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw APIError.invalidURL("The URL of \(host) has a character that must be percent-encoded.")
    }
  }

  private func validate(framing field: HTTPField) throws {
    switch field.name.canonicalName {
    case "transfer-encoding", "connection", "upgrade", "trailer", "keep-alive", "proxy-connection":
      throw APIError.invalidRequest("\(field.name) is set by the transport: remove it from the request's fields.")
    case "te" where field.value.lowercased() != "trailers":
      throw APIError.invalidRequest("TE is set by the transport (only \"trailers\" may be given): remove it.")
    case "content-length" where body.length.map(String.init) != field.value:
      throw APIError.invalidRequest(
        "Content-Length says \(field.value), the body has \(body.length.map { "\($0) bytes" } ?? "no known length"): "
          + "remove the field, the transport sets it.")
    case "host" where !matchesAuthority(field.value):
      throw APIError.invalidRequest(
        "Host says \(field.value), the URL does not: remove the field, the URL's host is sent.")
    default:
      break
    }
  }

  private func matchesAuthority(_ host: String) -> Bool {
    let name = url.host(percentEncoded: true) ?? ""
    let literal = name.contains(":") && !name.hasPrefix("[") ? "[\(name)]" : name
    let names =
      url.port.map { ["\(literal):\($0)"] } ?? [
        literal, literal + (url.scheme?.lowercased() == "https" ? ":443" : ":80"),
      ]
    return names.contains { $0.lowercased() == host.lowercased() }
  }
}

extension URL {
  /// Whether a look at the text shows that it is an absolute `http` or `https` URL with a host, without user information,
  /// of printable ASCII: most are. Taking a URL apart costs ten times as much.
  fileprivate var isPlainlyValid: Bool {
    let text = absoluteString.utf8
    let front = text.starts(with: "https://".utf8) ? 8 : text.starts(with: "http://".utf8) ? 7 : 0
    guard front > 0, let first = text.dropFirst(front).first, first != UInt8(ascii: "/"), first != UInt8(ascii: ":"),
      first != UInt8(ascii: "?"), first != UInt8(ascii: "#")
    else { return false }
    return text.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "@") }
  }
}
