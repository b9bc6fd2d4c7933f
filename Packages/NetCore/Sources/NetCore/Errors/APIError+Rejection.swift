extension APIError {
  /// Which of the client's own limits refused an attempt before it was sent.
  public enum Rejection: String, Sendable, Hashable {
    /// As many wait as may: see ``ConcurrencyLimit/queue`` and ``RateLimit/queue``.
    case queueFull
    /// The turn under the ``RateLimit`` would come after the call's time limit.
    case rateLimit
    /// The ``CircuitBreaker`` asks nothing of a host that fails.
    case circuitOpen
  }

  /// A limit of the client's own refused the request: `catch APIError.rejected(.circuitOpen)`.
  public static func rejected(_ rejection: Rejection) -> APIError {
    let reason =
      switch rejection {
      case .queueFull: "Too many attempts wait already."
      case .rateLimit: "The rate limit allows no request within the call's time limit."
      case .circuitOpen: "The circuit is open after too many failures."
      }
    return APIError(.rejected(rejection), reason: reason)
  }

  static func queueFull(_ origin: Origin, waiting: Int, setting: String) -> APIError {
    APIError(
      .rejected(.queueFull),
      reason: "\(waiting) attempts wait for \(origin), and no more may: ask for less at a time, or raise the "
        + "\(setting)'s queue.")
  }

  static func rateLimited(_ origin: Origin, wait: Duration) -> APIError {
    let reason =
      "The next turn for \(origin) is in \(wait.readable), after the call's time limit: send less, or give the call more "
      + "time."
    return APIError(.rejected(.rateLimit), reason: reason, retryAfter: wait)
  }

  static func circuitOpen(_ origin: Origin, wait: Duration) -> APIError {
    let state =
      wait > .zero
      ? "open for \(wait.readable) more, after too many failures"
      : "half open, and as many probes as may be are under way"
    let reason = "The circuit for \(origin) is \(state): wait, or let a RetryPolicy wait."
    return APIError(.rejected(.circuitOpen), reason: reason, retryAfter: wait)
  }

  private init(_ kind: Kind, reason: String, retryAfter: Duration) {
    self.init(kind, reason: reason)
    self.retryAfter = retryAfter
  }
}
