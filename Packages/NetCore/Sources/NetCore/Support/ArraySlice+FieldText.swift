extension ArraySlice<UInt8> {
  /// Takes a quoted string (RFC 9110, section 5.6.4) off the front, where its first quote is known to be.
  ///
  /// - Returns: Its text; `nil` when it does not end.
  mutating func takeQuotedString() -> String? {
    removeFirst()
    var text: [UInt8] = []
    while let byte = popFirst() {
      switch byte {
      case UInt8(ascii: "\""):
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = popFirst() else { return nil }
        text.append(escaped)
      default:
        text.append(byte)
      }
    }
    return nil
  }

  /// Takes the bytes that `isWanted` accepts off the front.
  ///
  /// - Returns: Their text; `nil` when there are none.
  mutating func takeText(while isWanted: (UInt8) -> Bool) -> String? {
    let taken = prefix(while: isWanted)
    self = dropFirst(taken.count)
    return taken.isEmpty ? nil : String(decoding: taken, as: UTF8.self)
  }
}
