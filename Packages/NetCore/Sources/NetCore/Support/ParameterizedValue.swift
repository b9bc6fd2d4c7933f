/// A field value with parameters (RFC 9110, section 5.6.6): `value; name=parameter; name="parameter"`.
///
/// Reads what is sent, not only what should be: what breaks the grammar is read with good will or left out, and
/// ``isWellFormed`` tells.
struct ParameterizedValue: Sendable {
  /// What a backslash means in a quoted parameter.
  enum Quoting {
    /// It escapes a quote or a backslash. Before anything else it is itself, since no sender should escape anything else
    /// (RFC 9110, section 5.6.4) and some send the paths of Windows.
    case escaped
    /// Nothing, as browsers write the fields of forms, in which a name may end with one. Others escape quotes in them: a
    /// quote behind a backslash ends the parameter only where the parameter can end.
    case literal
  }

  /// The most bytes that are read: 8 KiB.
  static let maximumSize = 8 << 10
  /// The most parameters that are read.
  static let maximumParameterCount = 32

  /// What stands before the first semicolon, in lower case: `form-data`, `text/html`. Empty when it is missing.
  private(set) var value = ""
  /// The parameters, their names in lower case; of several of one name the first.
  private(set) var parameters: [String: String] = [:]
  /// Whether all of it obeys the grammar, no name comes twice, and no limit cut it.
  private(set) var isWellFormed: Bool

  init(_ text: String, quoting: Quoting = .escaped) {
    isWellFormed = text.utf8.count <= Self.maximumSize
    var scanner = Scanner(rest: Array(text.utf8.prefix(Self.maximumSize))[...], quoting: quoting)
    if let value = scanner.takeLeadingValue() { self.value = value } else { isWellFormed = false }
    while !scanner.rest.isEmpty {
      guard parameters.count < Self.maximumParameterCount else {
        isWellFormed = false
        return
      }
      guard let parameter = scanner.takeParameter() else { continue }
      if parameters[parameter.name] == nil {
        parameters[parameter.name] = parameter.value
      } else {
        isWellFormed = false
      }
    }
    if scanner.foundOffence { isWellFormed = false }
  }
}

private struct Scanner {
  var rest: ArraySlice<UInt8>
  let quoting: ParameterizedValue.Quoting
  var foundOffence = false

  /// What stands before the parameters; takes nothing when they begin at once.
  mutating func takeLeadingValue() -> String? {
    let before = rest
    let value = trimmed(take { $0 != UInt8(ascii: ";") })
    guard !value.isEmpty, value.allSatisfy({ HTTPToken.isTokenCharacter($0) || $0 == UInt8(ascii: "/") }) else {
      rest = value.isEmpty ? rest : before
      return nil
    }
    return text(value).lowercased()
  }

  /// The next parameter, with what follows it up to the next semicolon; `nil` when there is none before that.
  mutating func takeParameter() -> (name: String, value: String)? {
    skip { $0 == UInt8(ascii: ";") || Self.isBlank($0) }
    guard !rest.isEmpty else { return nil }
    let name = trimmed(take { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") })
    guard rest.first == UInt8(ascii: "="), !name.isEmpty, name.allSatisfy(HTTPToken.isTokenCharacter) else {
      foundOffence = true
      skip { $0 != UInt8(ascii: ";") }
      return nil
    }
    rest.removeFirst()
    skip(Self.isBlank)
    return (text(name).lowercased(), rest.first == UInt8(ascii: "\"") ? takeQuoted() : takeUnquoted())
  }

  private mutating func takeUnquoted() -> String {
    let value = trimmed(take { $0 != UInt8(ascii: ";") })
    if value.isEmpty || !value.allSatisfy(HTTPToken.isTokenCharacter) { foundOffence = true }
    return text(value)
  }

  private mutating func takeQuoted() -> String {
    rest.removeFirst()
    var value: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") {
        if !trimmed(take { $0 != UInt8(ascii: ";") }).isEmpty { foundOffence = true }
        return text(value)
      }
      value.append(byte == UInt8(ascii: "\\") && isNextEscaped ? rest.removeFirst() : byte)
    }
    foundOffence = true
    return text(value)
  }

  /// Whether the backslash that was just taken stands for what follows it.
  private var isNextEscaped: Bool {
    switch quoting {
    case .escaped: rest.first == UInt8(ascii: "\"") || rest.first == UInt8(ascii: "\\")
    case .literal: rest.first == UInt8(ascii: "\"") && !isEnd(rest.dropFirst())
    }
  }

  /// Whether a parameter ends where `rest` begins.
  private func isEnd(_ rest: ArraySlice<UInt8>) -> Bool {
    rest.first { !Self.isBlank($0) }.map { $0 == UInt8(ascii: ";") } ?? true
  }

  private mutating func take(_ isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let taken = rest.prefix(while: isWanted)
    rest = rest[taken.endIndex...]
    return taken
  }

  private mutating func skip(_ isUnwanted: (UInt8) -> Bool) {
    rest = rest.drop(while: isUnwanted)
  }

  private func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let head = bytes.drop(while: Self.isBlank)
    return head[..<(head.lastIndex { !Self.isBlank($0) }.map { $0 + 1 } ?? head.startIndex)]
  }

  private func text(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
