/// Gives a call its time limit, and ends it with its client.
struct Supervision: HTTPMiddleware {
  let supervisor: CallSupervisor

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    try await supervisor.run(until: context.deadline) { try await next.send(request, context: context) }
  }
}
