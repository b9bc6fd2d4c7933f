/// Finds out whose credentials a call carries, before it shares anything with others.
struct CredentialScoping: HTTPMiddleware, Interruptible {
  private let authenticator: any Authenticator
  private let interruptible: (any InterruptibleAuthenticator)?

  init(authenticator: any Authenticator) {
    self.authenticator = authenticator
    interruptible = authenticator as? any InterruptibleAuthenticator
  }

  var isInterruptible: Bool { interruptible != nil }

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    var context = context
    context.credentialScope =
      if let interruptible {
        try await interruptible.scope(for: request, within: context)
      } else {
        try await authenticator.scope(for: request)
      }
    return try await next.send(request, context: context)
  }
}

extension CredentialScoping: CustomStringConvertible {
  var description: String { "credential scope: nothing is shared between accounts" }
}
