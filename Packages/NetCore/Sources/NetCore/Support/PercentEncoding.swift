/// Percent-encoding by RFC 3986, section 2.1, of UTF-8.
enum PercentEncoding {
  /// `text` with every byte encoded that is not an unreserved character (RFC 3986, section 2.3).
  static func encode(_ text: some StringProtocol) -> String {
    encode(text) { isUnreserved($0) }
  }

  /// `text` as a name or value of `application/x-www-form-urlencoded` content, in which a space is a plus.
  static func encodeForm(_ text: String) -> String {
    encode(text) { isUnreserved($0) || $0 == UInt8(ascii: " ") }.replacing(" ", with: "+")
  }

  /// `text` with every byte encoded that `isAllowed` refuses.
  static func encode(_ text: some StringProtocol, allowing isAllowed: (UInt8) -> Bool) -> String {
    if text.utf8.allSatisfy(isAllowed) { return String(text) }
    var encoded: [UInt8] = []
    encoded.reserveCapacity(text.utf8.count + 16)
    for byte in text.utf8 {
      if isAllowed(byte) {
        encoded.append(byte)
      } else {
        encoded.append(contentsOf: escape(byte))
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// `bytes` with every one encoded that `isAllowed` refuses, and every `%` that begins no escape.
  static func repair(_ bytes: ArraySlice<UInt8>, allowing isAllowed: (UInt8) -> Bool) -> String {
    var repaired: [UInt8] = []
    repaired.reserveCapacity(bytes.count + 16)
    for (place, byte) in zip(bytes.indices, bytes) {
      let isEscape = byte == UInt8(ascii: "%") && isHexPair(bytes[place...].dropFirst().prefix(2))
      if isEscape || isAllowed(byte) { repaired.append(byte) } else { repaired.append(contentsOf: escape(byte)) }
    }
    return String(decoding: repaired, as: UTF8.self)
  }

  /// The bytes that `text` stands for; `nil` when a `%` does not begin an escape of two hexadecimal digits.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.utf8.count)
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        decoded.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(value(ofHexDigit:)),
        let low = rest.popFirst().flatMap(value(ofHexDigit:))
      else { return nil }
      decoded.append(high << 4 | low)
    }
    return decoded
  }

  /// Whether `byte` is a letter, a digit or one of `-._~`.
  static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default:
      false
    }
  }

  /// Whether `byte` may stand unencoded in a path: `pchar` of RFC 3986, section 3.3, or the slash.
  static func isPathCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "!"), UInt8(ascii: "$"),
      UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"),
      UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
      true
    default:
      isUnreserved(byte)
    }
  }

  /// Whether every `%` of `text` begins an escape of two hexadecimal digits.
  static func hasValidEscapes(_ text: some StringProtocol) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
    return parts.dropFirst().allSatisfy { isHexPair($0.prefix(2)) }
  }

  private static func escape(_ byte: UInt8) -> [UInt8] {
    [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
  }

  private static func isHexPair(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.count == 2 && bytes.allSatisfy(isHexDigit)
  }

  private static let hexDigits = Array("0123456789ABCDEF".utf8)

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    value(ofHexDigit: byte) != nil
  }

  private static func value(ofHexDigit byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
