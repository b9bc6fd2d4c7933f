#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The one place that decides what a log, an error or a `curl` command may show: what is on its allow-list, and nothing
/// else.
///
/// A value that is not allowed is shown as ``placeholder``; names of fields, query items and JSON keys stay, so that the
/// shape of an exchange can be seen. Paths are shown: keep secrets out of them.
public struct Redactor: Sendable {
  /// What stands for a hidden value: `<redacted>`.
  public static let placeholder = "<redacted>"

  /// The fields whose values are shown.
  public var fields: Set<HTTPField.Name>
  /// The query items, and form fields, whose values are shown; names as they stand in the URL.
  public var queryItems: Set<String>
  /// The JSON keys whose strings and numbers are shown, in lower case.
  public var jsonKeys: Set<String>
  /// Those that are shown beside in the body of a response that failed: the members of error messages. Elsewhere a
  /// `message` may be a person's, and a `code` a password for once.
  public var errorJSONKeys: Set<String>

  /// A redactor that allows the given names, and nothing else.
  public init(
    fields: Set<HTTPField.Name> = [], queryItems: Set<String> = [], jsonKeys: Set<String> = [],
    errorJSONKeys: Set<String> = []
  ) {
    self.fields = fields
    self.queryItems = queryItems
    self.jsonKeys = Set(jsonKeys.map { $0.lowercased() })
    self.errorJSONKeys = Set(errorJSONKeys.map { $0.lowercased() })
  }

  /// Allows what describes messages and pages and holds no data of users: the fields of content negotiation, caching and
  /// framing, paging query items, and the members of error messages.
  public static let standard = Redactor(
    fields: [
      .accept, .acceptEncoding, .acceptLanguage, .age, .allow, .cacheControl, .connection, .contentDisposition,
      .contentEncoding, .contentLanguage, .contentLength, .contentRange, .contentType, .date, .eTag, .expires, .host,
      .ifMatch, .ifModifiedSince, .ifNoneMatch, .ifRange, .lastModified, .range, .retryAfter, .server, .te, .trailer,
      .transferEncoding, .userAgent, .vary,
    ],
    queryItems: ["page", "per_page", "limit", "offset", "sort", "order", "lang", "locale"],
    jsonKeys: ["page", "count", "total"],
    errorJSONKeys: ["type", "title", "status", "detail", "code", "message", "error", "errors"])

  /// This redactor, allowing more names.
  public func allowing(
    fields: Set<HTTPField.Name> = [], queryItems: Set<String> = [], jsonKeys: Set<String> = []
  ) -> Redactor {
    Redactor(
      fields: self.fields.union(fields), queryItems: self.queryItems.union(queryItems),
      jsonKeys: self.jsonKeys.union(jsonKeys.map { $0.lowercased() }), errorJSONKeys: errorJSONKeys)
  }

  /// `fields` with every value hidden whose name is not allowed.
  public func redact(_ fields: HTTPFields) -> HTTPFields {
    HTTPFields(
      fields.lazy.compactMap { field in
        self.fields.contains(field.name) ? field : HTTPField(name: field.name, value: Self.placeholder)
      })
  }

  /// `url` with its user, its password, its fragment and every query value hidden that is not allowed.
  public func redact(_ url: URL) -> String {
    let text = url.absoluteString
    let beforeFragment = text.prefix { $0 != "#" }
    let base = beforeFragment.prefix { $0 != "?" }
    let shown = hidingUserInfo(of: base).displayable(upTo: 2_000)
    guard base.endIndex < beforeFragment.endIndex else { return shown }
    return shown + "?" + redact(query: beforeFragment[base.endIndex...].dropFirst())
  }

  /// What may be shown of a body: JSON and form fields with values hidden that are not allowed, of anything else its size
  /// and type. It is one line, so that a server cannot write lines of its own into a log.
  ///
  /// - Parameters:
  ///   - body: The body, or its beginning.
  ///   - contentType: Its `Content-Type`; without one, what begins as JSON is taken for JSON.
  ///   - isFailure: Whether it is the body of a response that failed, whose ``errorJSONKeys`` are shown. Default: `false`.
  ///   - limit: The most characters to show, none when it is negative. Default: 1,000.
  public func excerpt(
    of body: Data, contentType: String?, isFailure: Bool = false, limit: Int = 1_000
  ) -> String {
    lines(of: body, contentType: contentType, isFailure: isFailure, limit: max(limit, 0)).replacing("\n", with: " ")
  }

  private func lines(of body: Data, contentType: String?, isFailure: Bool, limit: Int) -> String {
    let keys = isFailure ? jsonKeys.union(errorJSONKeys) : jsonKeys
    let type = contentType?.prefix { $0 != ";" }.lowercased()
    if type == "application/x-www-form-urlencoded" {
      return redact(query: String(decoding: body.prefix(limit), as: UTF8.self)[...]).displayable(upTo: limit)
    }
    if type.map({ $0.hasSuffix("json") }) ?? true, let json = JSONExcerpt(of: body, showing: keys, limit: limit) {
      return json.text.displayable(upTo: limit + Self.placeholder.count)
    }
    return "<\(body.count) bytes\(type.map { " of \($0.displayable(upTo: 100))" } ?? "")>"
  }

  private func redact(query: Substring) -> String {
    // By bytes, since a combining character after a separator would hide it; and at the semicolon, as some servers do.
    let parts = query.utf8.split(omittingEmptySubsequences: false) {
      $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";")
    }
    let items = parts.map { part in
      guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return part.isEmpty ? "" : Self.placeholder }
      let name = String(decoding: part[..<equals], as: UTF8.self)
      return queryItems.contains(name) ? String(decoding: part, as: UTF8.self) : "\(name)=\(Self.placeholder)"
    }
    return items.joined(separator: "&").displayable(upTo: 2_000)
  }

  private func hidingUserInfo(of base: Substring) -> String {
    guard let slashes = base.firstRange(of: "//") else { return String(base) }
    let authority = base[slashes.upperBound...].prefix { $0 != "/" }
    guard let at = authority.lastIndex(of: "@") else { return String(base) }
    return "\(base[..<slashes.upperBound])\(Self.placeholder)\(base[at...])"
  }
}
