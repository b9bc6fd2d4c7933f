import NetCore

/// Parses the lines of a head or of trailers (RFC 9112, sections 4 and 5).
///
/// What breaks the rules is refused, not repaired: another reader of the same bytes may repair it differently.
struct HeadParser {
  private var rest: ArraySlice<UInt8>

  init(_ lines: [UInt8]) {
    rest = lines[...]
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// A status line: the version, the code and perhaps a reason.
  mutating func status() throws(APIError) -> HTTPResponse.Status {
    let line = nextLine()
    let code = line.drop { $0 != UInt8(ascii: " ") }.drop { $0 == UInt8(ascii: " ") }
    let digits = code.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let number = digits.reduce(0) { 10 * $0 + Int($1 & 15) }
    guard digits.count == 3, code.dropFirst(3).first ?? UInt8(ascii: " ") == UInt8(ascii: " "),
      let status = HTTPResponse.Status(code: number)
    else { throw .noStatus }
    return status
  }

  /// Fields up to an empty line or the end.
  mutating func fields() throws(APIError) -> HTTPFields {
    var fields = HTTPFields()
    fields.reserveCapacity(16)
    while true {
      var line = nextLine()
      guard !line.isEmpty else { return fields }
      while rest.first.map(Self.isBlank) == true {
        // A folded line stands for a space (RFC 9112, section 5.2).
        line += [UInt8(ascii: " ")] + nextLine().drop(while: Self.isBlank)
      }
      fields.append(try Self.field(in: line))
    }
  }

  private static func field(in line: ArraySlice<UInt8>) throws(APIError) -> HTTPField {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
      let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
    else { throw .noField }
    guard let field = HTTPField(name: name, bytes: line[(colon + 1)...]) else { throw .controlCharacter }
    return field
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private mutating func nextLine() -> ArraySlice<UInt8> {
    let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
    var line = rest[..<end]
    rest = rest[end...].dropFirst()
    if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
    return line
  }
}

extension HTTPFields {
  /// - Throws: `APIError` of kind `transport(.malformed)` for what is no field.
  init(trailerLines: [UInt8]) throws(APIError) {
    var parser = HeadParser(trailerLines)
    self = try parser.fields()
  }
}

extension APIError {
  static func malformed(_ reason: String) -> APIError {
    APIError(.transport(.malformed), reason: reason)
  }
}
