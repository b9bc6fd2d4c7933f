/// A path below a client's base URL: literal text is structure, an interpolated value is one encoded segment or a part
/// of one.
///
///     "users/\(id)/avatar"      // id "a/../b" gives users/a%2F..%2Fb/avatar
///
/// What a path must not have is found when it is made and thrown when a client sends it, as ``APIError`` of kind
/// `invalidURL` that names the remedy: a `?`, `#` or control character in literal text, a `.` or `..` segment, a segment
/// that an empty value would make vanish (so `"users/\(id)"` never becomes `users/`), a whole URL.
public struct RequestPath: Sendable, Hashable {
  /// The path, percent-encoded (RFC 3986, section 3.3), without the slash in front.
  public let encoded: String
  /// What is wrong with the path, with the remedy; `nil` when nothing is.
  public let problem: String?

  /// The base URL itself.
  public static let root: RequestPath = ""

  /// A path from text whose slashes are structure, such as one the server sent. Text of a user goes into an
  /// interpolation instead.
  public init(_ text: String) {
    var interpolation = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
    interpolation.appendLiteral(text)
    self.init(stringInterpolation: interpolation)
  }
}

extension RequestPath: ExpressibleByStringInterpolation {
  /// A path from literal text.
  public init(stringLiteral text: String) {
    self.init(text)
  }

  /// A path from literal text and values.
  public init(stringInterpolation interpolation: StringInterpolation) {
    let parts = interpolation.parts
    let path = parts.utf8.first == UInt8(ascii: "/") ? String(parts.dropFirst()) : parts
    encoded = Self.withoutEmptyValues(path)
    problem =
      interpolation.problem
      ?? (Self.mayHaveProblem(path) ? path.split(separator: "/").lazy.compactMap(Self.problem(inSegment:)).first : nil)
  }

  /// Whether a segment begins with a dot or an escape, or holds an empty value: only such a one can be a problem.
  private static func mayHaveProblem(_ path: String) -> Bool {
    var previous = UInt8(ascii: "/")
    for byte in path.utf8 {
      if byte == 0 { return true }
      if previous == UInt8(ascii: "/"), byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%") { return true }
      previous = byte
    }
    return false
  }

  private static func problem(inSegment segment: Substring) -> String? {
    let text = withoutEmptyValues(segment)
    if text.isEmpty {
      return "The path has an empty value where a segment must stand: check the value before making the request."
    }
    return [".", "..", "%2e", "%2e%2e", ".%2e", "%2e."].contains(text.lowercased())
      ? "The path has a \"\(text)\" segment, which would leave its place: name the segment itself." : nil
  }

  private static func withoutEmptyValues(_ text: some StringProtocol) -> String {
    text.utf8.contains(0) ? String(text).replacing(StringInterpolation.emptyValue, with: "") : String(text)
  }

  /// Collects the parts of a ``RequestPath``.
  public struct StringInterpolation: StringInterpolationProtocol {
    /// Stands for an empty value until the path is whole; NUL is encoded everywhere else.
    fileprivate static let emptyValue = "\0"
    fileprivate var parts = ""
    fileprivate var problem: String?

    /// Begins a path.
    public init(literalCapacity: Int, interpolationCount: Int) {
      parts.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    /// Appends structure: slashes stay, an escape such as `%20` stays, other characters are encoded where they must be.
    public mutating func appendLiteral(_ literal: String) {
      if problem == nil { problem = Self.problem(inLiteral: literal) }
      parts += PercentEncoding.encode(literal) { PercentEncoding.isPathCharacter($0) || $0 == UInt8(ascii: "%") }
    }

    /// Appends a value as data: everything in it but letters, digits and `-._~` is percent-encoded.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      append(value.description)
    }

    /// Appends a raw value, such as that of a `String` enum, as data.
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
    where Value.RawValue: CustomStringConvertible {
      append(value.rawValue.description)
    }

    private mutating func append(_ value: String) {
      parts += value.isEmpty ? Self.emptyValue : PercentEncoding.encode(value)
    }

    private static func problem(inLiteral literal: String) -> String? {
      if literal.utf8.allSatisfy({ PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "/") }) { return nil }
      if literal.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
        return
          "The path has a control character (CR, LF, NUL or another): remove it, or interpolate the value it is in."
      }
      // What follows the mark, or stands in a whole URL, may be a secret.
      if literal.contains("://") {
        return "The path is a whole URL: use Endpoint(url:) to leave the base URL."
      }
      if let mark = literal.first(where: { $0 == "?" || $0 == "#" }) {
        return "The path \"\(literal.prefix { $0 != mark })\" is followed by a \"\(mark)\": "
          + (mark == "?" ? "pass the query as `query:`." : "a fragment is not sent, leave it out.")
      }
      if !PercentEncoding.hasValidEscapes(literal) {
        return "The path \"\(literal)\" has a \"%\" that begins no escape: write %25 for a percent sign."
      }
      return nil
    }
  }
}
