/// Gives each attempt a time limit of its own; of a streaming response only the head counts.
struct AttemptLimit: HTTPMiddleware, Interruptible {
  let limit: Duration
  let supervisor: CallSupervisor
  let timeSource: TimeSource

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    try await supervisor.send(
      request, context: context, next: next, until: timeSource.elapsed + limit, phase: .attempt)
  }
}

extension AttemptLimit: CustomStringConvertible {
  var description: String { "attempt limit: \(limit.inUnits)" }
}
