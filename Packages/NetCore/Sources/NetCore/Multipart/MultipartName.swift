/// Names and filenames in the quotes of a `Content-Disposition` field, as browsers write them (HTML, section 4.10.21.8).
///
/// A quote and the control characters are percent-encoded, and nothing else is: UTF-8, backslashes and percent signs stand as
/// they are. So a name that has `%22` in it is read back as a quote, by this kit and by everybody else who decodes at all.
enum MultipartName {
  static func encode(_ name: String) -> String {
    PercentEncoding.encode(name) { !isEscaped($0) }
  }

  static func decode(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    var decoded: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.first {
      if byte == UInt8(ascii: "%"), let escaped = PercentEncoding.decode(Substring(rest.prefix(3)))?.only,
        isEscaped(escaped)
      {
        decoded.append(escaped)
        rest = rest.dropFirst(3)
      } else {
        decoded.append(byte)
        rest.removeFirst()
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7F
  }
}

extension Array {
  fileprivate var only: Element? { count == 1 ? first : nil }
}
