/// How many requests a client sends to each host in a time: a token bucket that also listens to the server.
///
///     configuration.rateLimit = RateLimit(100, per: .seconds(60))
///
/// Who comes too early waits, first come, first served. A wait that would pass the call's time limit is not begun: the call
/// fails at once with ``APIError/Kind/rejected(_:)``, and ``APIError/retryAfter`` says how long the wait would be.
///
/// All calls to a host pause while the server asks for it: by `Retry-After` with 429 or 503 (RFC 9110, section 10.2.3), or by
/// nothing left in `RateLimit` (draft-ietf-httpapi-ratelimit-headers, in its forms since 2020) or `X-RateLimit-Remaining`.
/// Host here means one origin: scheme, host and port.
public struct RateLimit: Sendable, Hashable {
  /// How many requests in each ``period``.
  public let count: Int
  /// The time for ``count`` requests.
  public let period: Duration
  /// How many requests may go at once after a silence.
  public let burst: Int
  /// The most attempts that wait for one host; one more fails at once. Default: 1,000.
  public var queue = 1_000
  /// The longest pause a server may ask for; it gets no more than that when it asks for more. Default: 60 seconds.
  public var maximumPause = Duration.seconds(60)

  /// A limit of `count` requests in each `period`.
  ///
  /// - Parameters:
  ///   - count: How many requests, 1 or more.
  ///   - period: The time for them. A period of zero sets no limit.
  ///   - burst: How many may go at once after a silence, from 1, which spreads all evenly: then no `period` sees more than
  ///     `count` requests, wherever it begins. With more it may see `count + burst - 1`. Default: 1.
  public init(_ count: Int, per period: Duration, burst: Int = 1) {
    self.count = max(count, 1)
    self.period = min(max(period, .zero), .seconds(366 * 86_400))
    self.burst = min(max(burst, 1), 1_000_000)
  }

  /// No limit but what the server asks for.
  public static let asServerSays = RateLimit(1, per: .zero)
}
