/// What is known about the exchange behind a response.
public struct ExchangeInfo: Sendable, Hashable {
  /// How many times something was sent until this response: 1 unless it was repeated or redirected, 0 when a cache answered
  /// without the network.
  public var attempts: Int
  /// The attempts that failed before, the first first.
  public var failures: [FailedAttempt] = []
  /// The redirects that led to this response, the first first.
  public var redirects: [Redirect] = []
  /// Why the last attempt, which failed, was not repeated although the policy repeats such failures.
  var whyNotRetried: String? {
    get { boxedWhyNotRetried?.value }
    set { boxedWhyNotRetried = newValue.map(CopyOnWrite.init) }
  }
  /// The time from the call to its response with all of a collected body; zero for a response nobody timed.
  public var duration: Duration
  /// When the last attempt reached what on its connection; `nil` when the transport does not measure that.
  public var timings: Timings? {
    get { boxedTimings?.value }
    set { boxedTimings = newValue.map(CopyOnWrite.init) }
  }
  /// What the client's cache did; `nil` when it has none.
  public var cache: CacheOutcome?
  /// The 1xx responses that came before this one, in order. Most exchanges have none.
  public var interimResponses: [InterimResponse] = []
  private var boxedTimings: CopyOnWrite<Timings>?
  private var boxedWhyNotRetried: CopyOnWrite<String>?

  /// An exchange of one attempt.
  public init(attempts: Int = 1, duration: Duration = .zero, timings: Timings? = nil) {
    self.attempts = attempts
    self.duration = duration
    boxedTimings = timings.map(CopyOnWrite.init)
  }
}
