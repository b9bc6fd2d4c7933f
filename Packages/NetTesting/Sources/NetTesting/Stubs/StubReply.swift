import NetCore

/// The reply that a request has got and that may still have to wait.
struct StubReply: Sendable {
  private let request: RecordedRequest
  private let delay: Duration
  private let timeSource: TimeSource
  private let answer: Stub.Answer

  init(
    _ request: RecordedRequest, after delay: Duration = .zero, timeSource: TimeSource = .system,
    _ answer: @escaping Stub.Answer
  ) {
    self.request = request
    self.delay = delay
    self.timeSource = timeSource
    self.answer = answer
  }

  /// The response, after the delay.
  func response() async throws -> HTTPResponse {
    if delay > .zero { try await timeSource.sleep(until: timeSource.elapsed + delay) }
    return try await answer(request)
  }
}
