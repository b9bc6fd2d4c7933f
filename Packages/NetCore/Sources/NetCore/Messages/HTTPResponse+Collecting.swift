extension HTTPResponse {
  /// This response with all of its body in memory; as it is when the body was collected before.
  ///
  /// - Parameter limit: The most bytes held in memory.
  /// - Throws: What ``Body/collect(upTo:)`` throws. An ``APIError`` has the head of this response.
  public func collectingBody(upTo limit: Int) async throws -> HTTPResponse {
    do {
      let bytes = try await body.collect(upTo: limit)
      guard body.bufferedBytes == nil else { return self }
      var response = self
      response.body = Body(bytes, trailers: body.trailers)
      return response
    } catch var error as APIError {
      error.response = APIError.FailedResponse(CollectedResponse(status: status, fields: fields), message: nil)
      throw error
    }
  }
}
