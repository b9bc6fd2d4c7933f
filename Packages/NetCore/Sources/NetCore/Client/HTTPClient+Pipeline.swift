extension HTTPClient {
  /// The stages of a call, the outermost first.
  static func pipeline(
    _ configuration: Configuration, supervisor: CallSupervisor, transport: any HTTPTransport
  ) -> any HTTPTransport {
    let timeSource = configuration.timeSource
    // The caller's own view of a call: once, as it was made.
    var stages = configuration.callMiddlewares
    // Everything below shares the call's time limit and ends with the client.
    stages.append(Supervision(supervisor: supervisor))
    // Above what is shared, so that nothing is shared between accounts.
    if let authenticator = configuration.authenticator {
      stages.append(CredentialScoping(authenticator: authenticator))
    }
    // Above the retries, so that callers who share an exchange share its retries too, and each leaves when it wants.
    if configuration.coalescesCalls { stages.append(Coalescing()) }
    // A failed attempt is repeated with everything below: signed again, limited again, collected again.
    stages.append(Retry(policy: configuration.retry, timeSource: timeSource))
    // Below the retries, so that each attempt has the newest credentials; a refused one is replayed once.
    if let authenticator = configuration.authenticator {
      stages.append(Authentication(authenticator: authenticator, timeSource: timeSource))
    }
    // Once an attempt, so that a signature is made for what is sent.
    stages += configuration.attemptMiddlewares
    // Below what the caller changes, so that events show the request on the wire.
    stages.append(AttemptEvents(timeSource: timeSource))
    // Around the exchange alone, so that neither waits nor signing count as the attempt.
    if let limit = configuration.attemptTimeout {
      stages.append(AttemptLimit(limit: limit, supervisor: supervisor, timeSource: timeSource))
    }
    // Inside the attempt, so that a body cut short is repeated, and half a body is never shared.
    stages.append(BodyCollection())
    return transport.behind(stages)
  }
}
