/// What a cache may do where the RFCs leave a choice. Every decision of the cache is a function of this, the request, what is
/// stored, and the time.
public struct CachePolicy: Sendable, Hashable {
  /// How long a response without an explicit lifetime stays fresh, as a part of its age since `Last-Modified` (RFC 9111,
  /// section 4.2.2). Default: 0.1.
  public var heuristicFraction = 0.1
  /// The longest such lifetime. Default: a week.
  public var maximumHeuristicLifetime = Duration.seconds(7 * 86_400)
  /// How long a stale response is used after a server error or a broken connection, when neither the response nor the
  /// request says it by `stale-if-error` (RFC 5861, section 4). Default: `nil`, not at all.
  public var staleIfError: Duration?
  /// How long a stale response is used while the server cannot be reached (RFC 9111, section 4.2.4), unless it says
  /// `must-revalidate` or `no-cache`. Default: a week; `nil` for not at all.
  public var staleWhenDisconnected: Duration? = .seconds(7 * 86_400)

  /// The defaults.
  public init() {}
}
