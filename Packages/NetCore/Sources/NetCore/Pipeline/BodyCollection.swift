/// Reads the body of a response that is wanted in memory, as a part of its attempt.
struct BodyCollection: HTTPMiddleware {
  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    var response = try await next.send(request, context: context)
    guard case .collected(let limit) = context.delivery, response.body.bufferedBytes == nil else { return response }
    do {
      let bytes = try await response.body.collect(upTo: limit)
      response.body = HTTPResponse.Body(bytes, trailers: response.body.trailers)
      return response
    } catch var error as APIError {
      let head = CollectedResponse(status: response.status, fields: response.fields)
      error.response = APIError.FailedResponse(head, message: nil)
      throw error
    }
  }
}
