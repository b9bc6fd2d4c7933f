/// What is known about the exchange behind a response.
public struct ExchangeInfo: Sendable, Hashable {
  /// How many times the request was sent until this response: 1 unless something sent it again.
  public var attempts: Int
  /// The time from the call to its response with all of a collected body; zero for a response nobody timed.
  public var duration: Duration

  /// An exchange of one attempt.
  public init(attempts: Int = 1, duration: Duration = .zero) {
    self.attempts = attempts
    self.duration = duration
  }
}
