/// Counts attempts, and tells observers of each: its request, and its response or failure.
struct AttemptEvents: HTTPMiddleware, Interruptible {
  let timeSource: TimeSource
  let observers: [any CallObserver]

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    let started = observers.isEmpty ? .zero : timeSource.elapsed
    context.report(.request(request))
    do {
      var response = try await next.send(request, context: context)
      response.info.attempts = context.attempt
      context.report(.response(response, to: request, after: timeSource.elapsed - started))
      return response
    } catch {
      let failure = Self.counting(error, in: context)
      context.report(.attemptFailed(failure, of: request, after: timeSource.elapsed - started))
      throw failure
    }
  }

  private static func counting(_ error: any Error, in context: RequestContext) -> any Error {
    guard var error = error as? APIError else { return error }
    error.attempts = context.attempt
    return error
  }
}

extension AttemptEvents: CustomStringConvertible {
  var description: String {
    "events: " + (observers.isEmpty ? "nobody watches" : observers.map(stageLine).joined(separator: ", "))
  }
}
