/// Signs each attempt. When the server refuses the credentials, renews them and sends once more.
struct Authentication: HTTPMiddleware, Interruptible {
  let authenticator: any Authenticator
  let timeSource: TimeSource

  var isInterruptible: Bool { authenticator is any InterruptibleAuthenticator }

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    guard context.credentialScope != nil else { return try await next.send(request, context: context) }
    let signed = try await sign(request, context)
    let response = try await next.send(signed, context: context)
    return authenticator.isRefusal(response)
      ? try await answer(to: request, refusedAs: signed, by: response, context: context, next: next) : response
  }

  /// The answer to `request` after its credentials were refused.
  private func answer(
    to request: HTTPRequest, refusedAs signed: HTTPRequest, by response: HTTPResponse, context: RequestContext,
    next: any HTTPTransport
  ) async throws -> HTTPResponse {
    guard request.mayBeReplayed(after: response) else {
      // The refusal is this call's answer whatever comes of it; the next call needs new credentials.
      try? await authenticator.renewCredentials(refusedIn: signed, by: response, context: context)
      if context.isEnding { throw CancellationError() }
      return response
    }
    response.body.discard()
    let started = timeSource.elapsed
    do {
      try await authenticator.renewCredentials(refusedIn: signed, by: response, context: context)
    } catch {
      throw Self.forGood(error)
    }
    context.report(.renewedCredentials(after: timeSource.elapsed - started))
    var context = context
    context.attempt += 1
    return try await next.send(try await sign(request, context), context: context)
  }

  private func sign(_ request: HTTPRequest, _ context: RequestContext) async throws -> HTTPRequest {
    do {
      return try await authenticator.sign(request, context: context)
    } catch {
      throw Self.forGood(error)
    }
  }

  /// A failure to get credentials is no failed attempt of the request: repeating that would change nothing.
  private static func forGood(_ error: any Error) -> any Error {
    guard var error = error as? APIError else { return error }
    error.mayBeRepeated = false
    return error
  }
}

extension Authentication: CustomStringConvertible {
  var description: String { "authenticate: \(stageLine(authenticator))" }
}

extension HTTPRequest {
  /// A 401 proves that the server did not act on the request (RFC 9110, section 15.5.2); no other refusal does.
  fileprivate func mayBeReplayed(after response: HTTPResponse) -> Bool {
    body.isReplayable && (response.status == .unauthorized || mayBeRepeated)
  }
}
