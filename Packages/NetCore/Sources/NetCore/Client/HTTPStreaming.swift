/// The second seam of a feature: responses whose bodies are read as they arrive.
public protocol HTTPStreaming: Sendable {
  /// Sends `request` and returns the response once its head is there; the body is read from it with back-pressure.
  ///
  /// No status is refused and nothing is decoded: who reads a body as it arrives also decides what its status means.
  /// The call's time limit ends with the body, not with the head.
  /// - Throws: ``APIError``, and `CancellationError` when the caller's task was cancelled.
  func open<R: APIRequest>(_ request: R) async throws -> HTTPResponse
}
