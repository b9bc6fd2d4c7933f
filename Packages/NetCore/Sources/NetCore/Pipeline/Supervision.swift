/// Gives a call its time limit, and ends it with its client.
struct Supervision: HTTPMiddleware {
  let supervisor: CallSupervisor
  /// The limit of calls that set none, for the description.
  let timeout: Duration

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    try await supervisor.send(request, context: context, next: next, until: context.deadline, phase: .total)
  }
}

extension Supervision: CustomStringConvertible {
  var description: String { "time limit: \(timeout.inUnits) a call" }
}
