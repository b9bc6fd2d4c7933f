/// Finds out whose credentials a call carries, before it shares anything with others.
struct CredentialScoping: HTTPMiddleware {
  let authenticator: any Authenticator

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    var context = context
    context.credentialScope = try await authenticator.scope(for: request)
    return try await next.send(request, context: context)
  }
}

extension CredentialScoping: CustomStringConvertible {
  var description: String { "credential scope: nothing is shared between accounts" }
}
