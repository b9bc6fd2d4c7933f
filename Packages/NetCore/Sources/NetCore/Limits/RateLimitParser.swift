/// Reads `RateLimit` and `RateLimit-Policy`: a list of items with parameters, or a dictionary (RFC 9651, section 3).
struct RateLimitParser {
  /// A member: `"default";r=0;t=30` or `reset=30`.
  struct Member: Equatable {
    var name: String
    /// The integer behind `=`, in a dictionary.
    var value: Int?
    /// The parameters that are integers.
    var parameters: [String: Int] = [:]
  }

  /// The most members that are read: a field with more is not understood.
  static let maximumCount = 32

  private var rest: ArraySlice<UInt8>

  private init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  /// The members of all fields of one name; `nil` when one of them is not understood: then none counts (RFC 9651, section
  /// 4.2).
  static func members(of values: [String]) -> [Member]? {
    var parser = RateLimitParser(Array(values.joined(separator: ",").utf8))
    return parser.members()
  }

  private mutating func members() -> [Member]? {
    var members: [Member] = []
    skipBlanks()
    while !rest.isEmpty {
      guard members.count < Self.maximumCount, let member = member() else { return nil }
      members.append(member)
      skipBlanks()
      guard !rest.isEmpty else { break }
      guard skip(UInt8(ascii: ",")) else { return nil }
      skipBlanks()
      if rest.isEmpty { return nil }
    }
    return members
  }

  private mutating func member() -> Member? {
    var member: Member
    if rest.first == UInt8(ascii: "\"") {
      guard let name = rest.takeQuotedString() else { return nil }
      member = Member(name: name)
    } else {
      guard let name = token() else { return nil }
      member = Member(name: name)
      if skip(UInt8(ascii: "=")) {
        guard let value = value() else { return nil }
        member.value = value
      }
    }
    while skip(UInt8(ascii: ";")) {
      skipBlanks()
      guard let name = token() else { return nil }
      guard skip(UInt8(ascii: "=")) else { continue }
      guard let value = value() else { return nil }
      member.parameters[name] = value
    }
    return member
  }

  /// A bare item (RFC 9651, section 3.3): its integer, `.some(nil)` when it is of another type, `nil` when it is none.
  private mutating func value() -> Int?? {
    switch rest.first {
    case UInt8(ascii: "\""):
      return rest.takeQuotedString() == nil ? nil : .some(nil)
    case UInt8(ascii: ":"):
      rest.removeFirst()
      guard rest.takeText(while: { $0 != UInt8(ascii: ":") }) != nil, skip(UInt8(ascii: ":")) else { return nil }
      return .some(nil)
    case UInt8(ascii: "?"), UInt8(ascii: "@"):
      rest.removeFirst()
      return token() == nil ? nil : .some(nil)
    default:
      // Past fifteen digits it is no integer (RFC 9651, section 3.3.1).
      return token().map { $0.utf8.count <= 16 ? Int($0) : nil }
    }
  }

  /// A token, key or number.
  private mutating func token() -> String? {
    rest.takeText { HTTPToken.isTokenCharacter($0) || $0 == UInt8(ascii: "/") }
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard rest.first == byte else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func skipBlanks() {
    rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  }
}
