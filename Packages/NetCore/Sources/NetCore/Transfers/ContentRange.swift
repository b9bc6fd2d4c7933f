/// The value of a `Content-Range` field for bytes (RFC 9110, section 14.4).
struct ContentRange: Equatable {
  /// The offset of the first byte.
  let first: Int64
  /// The offset of the last byte.
  let last: Int64
  /// The length of the whole; `nil` when the server does not know it.
  let total: Int64?

  /// `nil` for anything but `bytes FIRST-LAST/TOTAL` and `bytes FIRST-LAST/*` whose numbers make sense.
  init?(_ fieldValue: String) {
    let words = fieldValue.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last else {
      return nil
    }
    guard parts[1] != "*" else {
      (self.first, self.last, total) = (first, last, nil)
      return
    }
    guard let total = Self.number(parts[1]), last < total else { return nil }
    (self.first, self.last, self.total) = (first, last, total)
  }

  /// Digits alone; a number that no file has is none.
  private static func number(_ text: Substring) -> Int64? {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = Int64(text),
      number < .max
    else { return nil }
    return number
  }
}
