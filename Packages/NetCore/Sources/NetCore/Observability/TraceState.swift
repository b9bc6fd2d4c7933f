/// The list in `tracestate` (W3C Trace Context, section 3.3).
enum TraceState {
  private static let maximumMembers = 32

  /// `text` as it may be handed on, without empty members and white space around members; `nil` when it is not valid or has
  /// no members.
  static func valid(_ text: String) -> String? {
    var members: [Substring.UTF8View] = []
    var keys: Set<[UInt8]> = []
    for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let member = part.trimmed
      if member.isEmpty { continue }
      guard members.count < maximumMembers, let equals = member.firstIndex(of: UInt8(ascii: "=")),
        isKey(member[..<equals]), isValue(member[equals...].dropFirst()), keys.insert(Array(member[..<equals])).inserted
      else { return nil }
      members.append(member)
    }
    return members.isEmpty ? nil : members.map { String(Substring($0)) }.joined(separator: ",")
  }

  /// A name of up to 256 characters, or `tenant@system` of up to 241 and 14.
  private static func isKey(_ key: Substring.UTF8View) -> Bool {
    guard let at = key.firstIndex(of: UInt8(ascii: "@")) else {
      return key.count <= 256 && key.first.map(isLetter) == true && key.allSatisfy(isKeyCharacter)
    }
    let (tenant, system) = (key[..<at], key[at...].dropFirst())
    return tenant.count <= 241 && tenant.first.map { isLetter($0) || isDigit($0) } == true
      && tenant.allSatisfy(isKeyCharacter) && system.count <= 14 && system.first.map(isLetter) == true
      && system.allSatisfy(isKeyCharacter)
  }

  /// Up to 256 printable characters but comma and equals sign; the last is no space, which trimming sees to.
  private static func isValue(_ value: Substring.UTF8View) -> Bool {
    (1...256).contains(value.count)
      && value.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
  private static func isKeyCharacter(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || "_-*/".utf8.contains(byte)
  }
}

extension Substring.UTF8View {
  /// Without spaces and tabs at either end.
  fileprivate var trimmed: Substring.UTF8View {
    func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let start = drop(while: isSpace)
    return start.lastIndex { !isSpace($0) }.map { start[...$0] } ?? start
  }
}
