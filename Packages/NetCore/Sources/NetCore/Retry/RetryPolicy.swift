/// When a failed attempt is repeated.
///
/// A request is only repeated when that cannot act twice: its method is idempotent (RFC 9110, section 9.2.2), it has an
/// `Idempotency-Key`, or the failure proves that the server did not act on it: no connection was made, or the status is
/// 425 or 421. So a `POST` without a key is not repeated after a 503 or a broken connection, whatever a policy says. A body
/// that can be sent only once is never sent again. A call that was cancelled, a request that is not valid and an answer
/// that cannot be decoded are not repeated either.
public struct RetryPolicy: Sendable {
  /// The most times a request is sent, at least 1. Default: 3.
  public var maximumAttempts = 3
  /// How long to wait when the server does not say. Default: exponential from 0.5 seconds, with full jitter.
  public var backoff = Backoff.exponential()
  /// The statuses after which an attempt is repeated. Default: 408, 421, 425, 429, 500, 502, 503, 504.
  public var statuses: Set<HTTPResponse.Status> = [408, 421, 425, 429, 500, 502, 503, 504]
  /// The longest wait a server may ask for with `Retry-After`: one that asks for more is not asked again. Default: 60
  /// seconds.
  public var maximumRetryAfter = Duration.seconds(60)
  /// The caller's own view of a response: `true` to repeat, `false` not to, `nil` to leave it to ``statuses``. A collected
  /// response has its body. Default: `nil` for every response.
  ///
  /// It may repeat a success, but never a request that could act twice.
  public var verdict: @Sendable (HTTPResponse) -> Bool? = { _ in nil }
  /// How much of the calls to a host may be repeated. Default: a fifth of its calls of the last ten seconds, and ten more.
  public var budget = Budget()
  /// Gives numbers from 0 up to 1, for jitter. Default: the system's generator.
  public var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }

  /// Keeps retries from multiplying an outage: of the calls to a host in the last ten seconds, so many may be repeated.
  public struct Budget: Sendable, Hashable {
    /// Retries for each call, as a share of 1. Default: 0.2.
    public var share: Double
    /// Retries that are allowed whatever the number of calls. Default: 10.
    public var floor: Int

    /// A budget of `floor` retries, and `share` for each call.
    public init(share: Double = 0.2, floor: Int = 10) {
      self.share = share
      self.floor = floor
    }
  }

  /// A policy with everything at its default.
  public init() {}

  /// Three attempts, with everything at its default.
  public static let standard = RetryPolicy()

  /// One attempt.
  public static let never: RetryPolicy = {
    var policy = RetryPolicy()
    policy.maximumAttempts = 1
    return policy
  }()
}
