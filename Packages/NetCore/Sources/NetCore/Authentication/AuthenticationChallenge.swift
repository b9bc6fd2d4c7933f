/// What a server asks for in `WWW-Authenticate` (RFC 9110, section 11.6.1): a scheme, with parameters or a token.
///
///     if response.challenges.contains(where: { $0.isScheme("Bearer") && $0["error"] == "invalid_token" }) { … }
public struct AuthenticationChallenge: Sendable, Hashable {
  /// The most challenges that are read of one response: 16.
  public static let maximumCount = 16
  /// The most parameters that are read of one challenge: 32.
  public static let maximumParameterCount = 32
  /// The most bytes that are read of one field: 16 KiB.
  public static let maximumFieldSize = 16 << 10

  /// The scheme, as the server wrote it: `Bearer`.
  public let scheme: String
  /// The one token of a scheme that has no parameters, such as `Negotiate`.
  public let token: String?
  /// The parameters, their names in lower case; of several of one name the first.
  public let parameters: [String: String]

  /// A challenge.
  public init(scheme: String, token: String? = nil, parameters: [String: String] = [:]) {
    self.scheme = scheme
    self.token = token
    self.parameters = Dictionary(parameters.map { ($0.lowercased(), $1) }) { first, _ in first }
  }

  /// The value of a parameter, whose name is compared without regard to case.
  public subscript(name: String) -> String? {
    parameters[name.lowercased()]
  }

  /// Whether the scheme is called `name`, without regard to case.
  public func isScheme(_ name: String) -> Bool {
    scheme.lowercased() == name.lowercased()
  }
}

extension HTTPResponse {
  /// The challenges of all `WWW-Authenticate` fields, in order. What breaks the grammar, and what follows it in its field,
  /// is left out.
  public var challenges: [AuthenticationChallenge] {
    let all = fields[values: .wwwAuthenticate].lazy.flatMap { value in
      var parser = ChallengeParser(value.utf8.prefix(AuthenticationChallenge.maximumFieldSize))
      return parser.challenges()
    }
    return Array(all.prefix(AuthenticationChallenge.maximumCount))
  }
}
