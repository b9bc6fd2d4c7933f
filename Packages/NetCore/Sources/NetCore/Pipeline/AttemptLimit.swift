/// Gives each attempt a time limit of its own; of a streaming response only the head counts.
struct AttemptLimit: HTTPMiddleware {
  let limit: Duration
  let supervisor: CallSupervisor
  let timeSource: TimeSource

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    try await supervisor.run(until: timeSource.elapsed + limit, phase: .attempt) {
      try await next.send(request, context: context)
    }
  }
}

extension AttemptLimit: CustomStringConvertible {
  var description: String { "attempt limit: \(limit.inUnits)" }
}
