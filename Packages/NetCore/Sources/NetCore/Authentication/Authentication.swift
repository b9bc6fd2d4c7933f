/// Signs each attempt. When the server refuses the credentials, renews them and sends once more.
struct Authentication: HTTPMiddleware {
  let authenticator: any Authenticator
  let timeSource: TimeSource

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    guard context.credentialScope != nil else { return try await next.send(request, context: context) }
    let signed = try await failingForGood { try await authenticator.sign(request, context: context) }
    let response = try await next.send(signed, context: context)
    guard authenticator.isRefusal(response) else { return response }
    guard request.mayBeReplayed(after: response) else {
      // The refusal is this call's answer whatever comes of it; the next call needs new credentials.
      try? await authenticator.renewCredentials(refusedIn: signed, by: response, context: context)
      try Task.checkCancellation()
      return response
    }
    response.body.discard()
    let started = timeSource.elapsed
    try await failingForGood {
      try await authenticator.renewCredentials(refusedIn: signed, by: response, context: context)
    }
    context.report(.renewedCredentials(after: timeSource.elapsed - started))
    var context = context
    context.attempt += 1
    let replay = try await failingForGood { [context] in try await authenticator.sign(request, context: context) }
    return try await next.send(replay, context: context)
  }

  /// A failure to get credentials is no failed attempt of the request: repeating that would change nothing.
  private func failingForGood<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch var error as APIError {
      error.mayBeRepeated = false
      throw error
    }
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
