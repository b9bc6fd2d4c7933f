/// Lets each attempt wait for its turn under the rate limit, and listens to what the server says about its own.
struct RateLimiting: HTTPMiddleware {
  let limiter: RateLimiter
  private let timeSource: TimeSource

  init(limit: RateLimit, timeSource: TimeSource) {
    limiter = RateLimiter(limit: limit, timeSource: timeSource)
    self.timeSource = timeSource
  }

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    let origin = Origin(request.url)
    try await context.rejecting {
      guard let turn = try limiter.take(origin, until: context.deadline) else { return }
      try await context.reportingWait(timeSource) { try await limiter.wait(for: turn) }
    }
    let response = try await next.send(request, context: context)
    limiter.listen(to: response, from: origin)
    return response
  }
}
