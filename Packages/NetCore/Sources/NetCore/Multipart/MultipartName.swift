/// Names and filenames in the quotes of a `Content-Disposition` field, as browsers write them (HTML, section 4.10.21.8).
///
/// A quote and the control characters are percent-encoded, and nothing else is: UTF-8, backslashes and percent signs stand as
/// they are. So a name that has `%22` in it is read back as a quote, by this kit and by everybody else who decodes at all.
///
/// One exception: a backslash before another or at the end is encoded too, though no browser does. Readers that know quoted
/// strings from mail take it for an escape, and at the end of a name take the filename for a part of the name.
enum MultipartName {
  static func encode(_ name: String) -> String {
    var encoded = ""
    var plain = name[...]
    while let backslash = plain.utf8.firstIndex(of: UInt8(ascii: "\\")) {
      let rest = plain[plain.utf8.index(after: backslash)...]
      let isEscape = rest.isEmpty || rest.utf8.first == UInt8(ascii: "\\")
      encoded += PercentEncoding.encode(plain[..<backslash], allowing: isPlain) + (isEscape ? "%5C" : "\\")
      plain = rest
    }
    return encoded + PercentEncoding.encode(plain, allowing: isPlain)
  }

  static func decode(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    var decoded: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.first {
      let escape = byte == UInt8(ascii: "%") ? PercentEncoding.decode(Substring(rest.prefix(3))) : nil
      if let escape, escape.count == 1, escape[0] == UInt8(ascii: "\\") || !isPlain(escape[0]) {
        decoded += escape
        rest = rest.dropFirst(3)
      } else {
        decoded.append(byte)
        rest.removeFirst()
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }

  /// Whether `byte` stands as it is, if it is no backslash.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != 0x7F || byte == UInt8(ascii: "\t")
  }
}
