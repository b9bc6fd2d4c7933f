/// Whose credentials a request carries. Two scopes never share a response, be it stored or under way.
public struct CredentialScope: Sendable, Hashable {
  /// What tells scopes apart, such as an account's identifier; no secret.
  public let name: String

  /// A scope.
  public init(_ name: String) {
    self.name = name
  }
}

extension CredentialScope {
  /// The scope of whoever knows `secrets`, for as long as the process lasts: by digests with a secret of the process, since a
  /// scope's name is no secret and caches write it down.
  init(_ name: String, with secrets: [String]) {
    let digests = (0..<2).map { number in
      var hasher = Hasher()
      hasher.combine(number)
      hasher.combine(secrets)
      return String(UInt(bitPattern: hasher.finalize()), radix: 16)
    }
    self.init(name + " " + digests.joined(separator: "-"))
  }
}
