/// Reads the value of one `WWW-Authenticate` field (RFC 9110, section 11.6.1).
///
/// A comma stands between challenges and between the parameters of one: what follows it is a parameter when a name is
/// followed by `=`, else the next challenge.
struct ChallengeParser {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: some Sequence<UInt8>) {
    rest = Array(bytes)[...]
  }

  /// The challenges up to the end or the first thing that is none.
  mutating func challenges() -> [AuthenticationChallenge] {
    var found: [AuthenticationChallenge] = []
    while found.count < AuthenticationChallenge.maximumCount, let challenge = next() { found.append(challenge) }
    return found
  }

  private mutating func next() -> AuthenticationChallenge? {
    skip { Self.isBlank($0) || $0 == UInt8(ascii: ",") }
    guard let scheme = rest.takeText(while: HTTPToken.isTokenCharacter) else { return nil }
    guard let byte = rest.first else { return AuthenticationChallenge(scheme: scheme) }
    guard Self.isBlank(byte) || byte == UInt8(ascii: ",") else { return nil }
    skip(Self.isBlank)
    if let token = takeToken68() { return AuthenticationChallenge(scheme: scheme, token: token) }
    guard let parameters = takeParameters() else { return nil }
    return AuthenticationChallenge(scheme: scheme, parameters: parameters)
  }

  /// A token that is all there is between the scheme and the next comma; takes nothing if there is none.
  private mutating func takeToken68() -> String? {
    let before = rest
    let text = rest.takeText(while: Self.isToken68Character) ?? ""
    let padding = rest.takeText { $0 == UInt8(ascii: "=") } ?? ""
    skip(Self.isBlank)
    guard !text.isEmpty, rest.isEmpty || rest.first == UInt8(ascii: ",") else {
      rest = before
      return nil
    }
    return text + padding
  }

  /// The parameters up to the next challenge or the end; `nil` when one of them has no proper value.
  private mutating func takeParameters() -> [String: String]? {
    var parameters: [String: String] = [:]
    while true {
      let before = rest
      skip { Self.isBlank($0) || $0 == UInt8(ascii: ",") }
      guard let name = takeName() else {
        rest = before
        return parameters
      }
      guard let value = takeValue(), parameters.count < AuthenticationChallenge.maximumParameterCount else {
        return nil
      }
      let key = name.lowercased()
      if parameters[key] == nil { parameters[key] = value }
    }
  }

  /// A name with the `=` behind it; takes less if there is none.
  private mutating func takeName() -> String? {
    guard let name = rest.takeText(while: HTTPToken.isTokenCharacter) else { return nil }
    skip(Self.isBlank)
    guard rest.first == UInt8(ascii: "=") else { return nil }
    rest.removeFirst()
    skip(Self.isBlank)
    return name
  }

  /// A token or quoted string, and the end or a comma after it.
  private mutating func takeValue() -> String? {
    let isQuoted = rest.first == UInt8(ascii: "\"")
    let value = isQuoted ? rest.takeQuotedString() : rest.takeText(while: HTTPToken.isTokenCharacter)
    skip(Self.isBlank)
    return rest.isEmpty || rest.first == UInt8(ascii: ",") ? value : nil
  }

  private mutating func skip(_ isUnwanted: (UInt8) -> Bool) {
    rest = rest.drop(while: isUnwanted)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private static func isToken68Character(_ byte: UInt8) -> Bool {
    PercentEncoding.isUnreserved(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
  }
}
