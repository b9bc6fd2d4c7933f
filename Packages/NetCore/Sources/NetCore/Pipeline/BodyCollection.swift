/// Reads the body of a response that is wanted in memory, as a part of its attempt.
struct BodyCollection: HTTPMiddleware, Interruptible {
  /// The client's limit, for the description.
  let limit: Int

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    let response = try await next.send(request, context: context)
    guard case .collected(let limit) = context.delivery, response.body.bufferedBytes == nil else { return response }
    let body = response.body
    context.onInterruption { body.abort(throwing: CancellationError()) }
    return try await response.collectingBody(upTo: limit)
  }
}

extension BodyCollection: CustomStringConvertible {
  var description: String { "collect: up to \(limit) bytes" }
}
