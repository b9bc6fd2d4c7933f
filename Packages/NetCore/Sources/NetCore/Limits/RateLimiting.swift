/// Lets each attempt wait for its turn under the rate limit, and listens to what the server says about its own.
struct RateLimiting: HTTPMiddleware, Interruptible {
  let limiter: RateLimiter
  let timeSource: TimeSource

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    let origin = Origin(request.url)
    while true {
      try await waitForTurn(origin, context)
      do {
        let response = try await next.send(request, context: context)
        limiter.listen(to: response, from: origin)
        return response
      } catch is Paused {
        continue
      }
    }
  }

  private func waitForTurn(_ origin: Origin, _ context: RequestContext) async throws {
    try await context.rejecting {
      guard let turn = try limiter.take(origin, until: context.deadline) else { return }
      try await context.reportingWait(timeSource) {
        try await context.interruptible { [limiter] in try await limiter.wait(for: turn) }
      }
    }
  }

  /// The server has asked for a pause since the attempt had its turn, which was not sent.
  private struct Paused: Error {}

  /// Sends an attempt back to wait, when the server has asked for a pause while it waited for something else.
  struct Gate: HTTPMiddleware, Interruptible {
    let limiter: RateLimiter

    func intercept(
      _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
    ) async throws -> HTTPResponse {
      if limiter.isPaused(Origin(request.url)) { throw Paused() }
      return try await next.send(request, context: context)
    }
  }
}

extension RateLimiting: CustomStringConvertible {
  var description: String { "rate: \(limiter.limit)" }
}

extension RateLimiting.Gate: CustomStringConvertible {
  var description: String { "rate gate: who waited for a place waits for a pause the server asked for meanwhile" }
}

extension RateLimit: CustomStringConvertible {
  /// The settings on one line: `10 each 1 s to a host, 5 at once, pauses up to 60 s, 1000 may wait`.
  public var description: String {
    let own = period == .zero ? "as the server says" : "\(count) each \(period.inUnits) to a host, \(burst) at once"
    return "\(own), pauses up to \(maximumPause.inUnits), \(queue) may wait"
  }
}
