import NetCore

/// One line of a head or of trailers, looked at while it comes.
///
/// What libcurl lets pass is refused here and not only by ``HeadParser``, which reads the head elsewhere and later: by then
/// libcurl may have kept the connection, where bytes of this response could be taken for the next one's.
struct HeadLine {
  private let bytes: UnsafeRawBufferPointer.SubSequence

  /// A line, with its end.
  init(_ line: UnsafeRawBufferPointer) {
    let isEnded = line.last == UInt8(ascii: "\n")
    let bytes = isEnded ? line.dropLast() : line[...]
    self.bytes = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
  }

  var isEmpty: Bool { bytes.isEmpty }

  /// The bytes where a status line has its code.
  var statusCode: UnsafeRawBufferPointer.SubSequence {
    bytes.drop { $0 != UInt8(ascii: " ") }.drop { $0 == UInt8(ascii: " ") }.prefix { $0 != UInt8(ascii: " ") }
  }

  /// - Throws: `APIError` of kind `transport(.malformed)` unless it is a status line (RFC 9112, section 4).
  func checkStatus() throws(APIError) {
    let code = statusCode
    guard code.count == 3, code.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      code.first != UInt8(ascii: "0")
    else { throw .noStatus }
  }

  /// - Throws: `APIError` of kind `transport(.malformed)` unless it is a field, a folded rest of one, or empty (RFC 9112,
  ///   section 5).
  func checkField() throws(APIError) {
    guard let first = bytes.first else { return }
    var value = bytes
    if first != UInt8(ascii: " "), first != UInt8(ascii: "\t") {
      let name = bytes.prefix(while: Self.isToken)
      value = bytes[name.endIndex...]
      guard !name.isEmpty, value.first == UInt8(ascii: ":") else { throw .noField }
    }
    guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }) else { throw .controlCharacter }
  }

  /// Whether a name may have this byte (RFC 9110, section 5.6.2).
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "#")...UInt8(ascii: "'"),
      UInt8(ascii: "^")...UInt8(ascii: "`"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "*"), UInt8(ascii: "+"),
      UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}

extension APIError {
  static let noStatus = malformed("The response's status line has no three-digit status.")
  static let noField = malformed("A line of the response's header is not a field: it has no valid name.")
  static let controlCharacter = malformed("A field of the response's header has a control character in its value.")
}
