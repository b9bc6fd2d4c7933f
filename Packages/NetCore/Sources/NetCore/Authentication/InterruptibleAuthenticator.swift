/// An authenticator whose waits all end when the context says so.
protocol InterruptibleAuthenticator: Authenticator {
  /// ``Authenticator/scope(for:)``, in the context of the call. Default: the same, for one that never waits.
  func scope(for request: HTTPRequest, within context: RequestContext) async throws -> CredentialScope?
}

extension InterruptibleAuthenticator {
  func scope(for request: HTTPRequest, within context: RequestContext) async throws -> CredentialScope? {
    try await scope(for: request)
  }
}

extension Authenticator {
  /// ``scope(for:)``, which ends with the call where the authenticator can do that.
  func scope(for request: HTTPRequest, in context: RequestContext) async throws -> CredentialScope? {
    guard let authenticator = self as? any InterruptibleAuthenticator else { return try await scope(for: request) }
    return try await authenticator.scope(for: request, within: context)
  }
}
