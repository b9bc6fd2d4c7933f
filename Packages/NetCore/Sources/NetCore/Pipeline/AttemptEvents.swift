/// Counts attempts, and tells observers of each: its request, and its response or failure.
struct AttemptEvents: HTTPMiddleware {
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
      var failure = error
      if var apiError = error as? APIError {
        apiError.attempts = context.attempt
        failure = apiError
      }
      context.report(.attemptFailed(failure, of: request, after: timeSource.elapsed - started))
      throw failure
    }
  }
}

extension AttemptEvents: CustomStringConvertible {
  var description: String {
    "events: " + (observers.isEmpty ? "nobody watches" : observers.map(stageLine).joined(separator: ", "))
  }
}
