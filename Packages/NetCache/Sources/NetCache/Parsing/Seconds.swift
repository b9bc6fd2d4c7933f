/// A directive whose argument is a number of seconds (RFC 9111, section 1.2.2).
enum Seconds: Sendable, Hashable {
  /// The directive is not there.
  case none
  /// So many.
  case some(Double)
  /// It is there and says nothing: no number, or two that differ (RFC 9111, section 4.2.1).
  case invalid

  /// The number, when there is one.
  var value: Double? {
    if case .some(let seconds) = self { seconds } else { nil }
  }

  /// Adds an occurrence of the directive.
  mutating func add(_ directive: DirectiveParser.Directive) {
    let seconds = directive.isMalformed ? nil : directive.argument.flatMap(Self.parse)
    switch (self, seconds) {
    case (.none, let seconds?): self = .some(seconds)
    case (.some(let known), let seconds) where known == seconds: break
    default: self = .invalid
    }
  }

  /// A number of seconds: digits and nothing else. Beyond 2³¹ it counts as 2³¹.
  static func parse(_ text: some StringProtocol) -> Double? {
    guard !text.isEmpty else { return nil }
    var seconds = 0.0
    for byte in text.utf8 {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      seconds = min(seconds * 10 + Double(byte - UInt8(ascii: "0")), 2_147_483_648)
    }
    return seconds
  }
}
