/// Whose credentials a request carries. Two scopes never share a response, be it stored or under way.
public struct CredentialScope: Sendable, Hashable {
  /// What tells scopes apart, such as an account's identifier; no secret.
  public let name: String

  /// A scope.
  public init(_ name: String) {
    self.name = name
  }
}
