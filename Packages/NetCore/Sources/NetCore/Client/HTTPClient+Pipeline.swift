extension HTTPClient {
  /// The stages of a call, the outermost first.
  static func pipeline(
    _ configuration: Configuration, supervisor: CallSupervisor, transport: any HTTPTransport
  ) -> any HTTPTransport {
    let timeSource = configuration.timeSource
    // The caller's own view of a call: once, as it was made.
    var stages = configuration.callMiddlewares
    // Everything below shares the call's time limit and ends with the client.
    stages.append(Supervision(supervisor: supervisor, timeout: configuration.timeout))
    // Above what is shared, so that nothing is shared between accounts.
    if let authenticator = configuration.authenticator {
      stages.append(CredentialScoping(authenticator: authenticator))
    }
    // Above the retries, so that callers who share an exchange share its retries too, and each leaves when it wants.
    if configuration.coalescesCalls { stages.append(Coalescing()) }
    // Inside what is shared, so that a flight ends at its last response; outside the rest, since each hop is a new request.
    stages.append(
      Redirection(
        policy: configuration.redirects, authenticator: configuration.authenticator, timeSource: timeSource))
    // Once a hop, on a request that has no cookies of another.
    if let jar = configuration.cookies { stages.append(CookieAttachment(jar: jar)) }
    // Above the retries, so that a stored response needs no attempt, and an attempt that failed for good may be answered.
    if let cache = configuration.cache {
      stages.append(cache.stage(in: ClientServices(timeSource: timeSource, supervisor: supervisor)))
    }
    // A failed attempt is repeated with everything below: signed again, limited again, collected again.
    stages.append(Retry(policy: configuration.retry, timeSource: timeSource))
    // Below the retries, so that each attempt has the newest credentials; a refused one is replayed once.
    if let authenticator = configuration.authenticator {
      stages.append(Authentication(authenticator: authenticator, timeSource: timeSource))
    }
    // Above those that sign, and only where something is sent again: an answer in between may have set cookies.
    if let jar = configuration.cookies { stages.append(CookieRenewal(jar: jar)) }
    // Above the caller's stages, so that a signature covers it; a replay after a refusal is an attempt with a span of its own.
    if let tracing = configuration.tracing {
      stages.append(TracePropagation(tracing, baseURL: configuration.baseURL))
    }
    // Once an attempt, so that a signature is made for what is sent.
    stages += configuration.attemptMiddlewares
    stages += limits(configuration)
    // Below what the caller changes, so that events show the request on the wire.
    stages.append(AttemptEvents(timeSource: timeSource, observers: configuration.observers))
    // Around the exchange alone, so that neither waits nor signing count as the attempt.
    if let limit = configuration.attemptTimeout {
      stages.append(AttemptLimit(limit: limit, supervisor: supervisor, timeSource: timeSource))
    }
    // Inside the attempt, so that a body cut short is repeated, and half a body is never shared.
    stages.append(BodyCollection(limit: configuration.maximumBodySize))
    // At the network, so that cookies are set by every answer of a server, and by no stored one.
    if let jar = configuration.cookies { stages.append(CookieReception(jar: jar)) }
    return transport.behind(stages)
  }

  /// What keeps attempts back, around what counts as the attempt: waiting here is not the server's fault. No attempt holds
  /// anything here while it waits to be repeated.
  private static func limits(_ configuration: Configuration) -> [any HTTPMiddleware] {
    let timeSource = configuration.timeSource
    let circuits = configuration.circuitBreaker.map { Circuits($0, timeSource: timeSource) }
    var stages: [any HTTPMiddleware] = []
    // Before any wait, so that what an open circuit rejects fails at once and uses up nothing.
    if let circuits { stages.append(CircuitGate(circuits: circuits)) }
    // Before the place, so that nobody holds one while waiting for a turn: other hosts may have it.
    let limiter = configuration.rateLimit.map { RateLimiter(limit: $0, timeSource: timeSource) }
    if let limiter { stages.append(RateLimiting(limiter: limiter, timeSource: timeSource)) }
    if let limit = configuration.concurrencyLimit {
      stages.append(ConcurrencyLimiting(limit: limit, timeSource: timeSource))
      // Who waited for a place while the server asked for a pause waits for that, too, and without the place.
      if let limiter { stages.append(RateLimiting.Gate(limiter: limiter)) }
    }
    // Around the exchange alone, so that who waited while the circuit opened is rejected too, a probe is a request on its
    // way and not one that waits, and no wait counts as the host's failure.
    if let circuits { stages.append(CircuitBreaking(circuits: circuits, timeSource: timeSource)) }
    return stages
  }
}
