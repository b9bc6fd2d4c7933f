/// Tells observers of each attempt: its request, and its response or failure.
struct AttemptEvents: HTTPMiddleware {
  let timeSource: TimeSource

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    let started = timeSource.elapsed
    context.report(.request(request))
    do {
      var response = try await next.send(request, context: context)
      response.info.attempts = context.attempt
      context.report(.response(response, after: timeSource.elapsed - started))
      return response
    } catch {
      var failure = error
      if var apiError = error as? APIError {
        apiError.attempts = context.attempt
        failure = apiError
      }
      context.report(.attemptFailed(failure, after: timeSource.elapsed - started))
      throw failure
    }
  }
}
