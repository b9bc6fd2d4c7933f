extension BearerAuthenticator {
  /// When a ``BearerAuthenticator`` replaces its token, and how long it tries.
  public struct Settings: Sendable {
    /// How long before its expiry a token is replaced; of a short-lived one it is at most half of the time it has left
    /// when it comes. Default: 30 seconds, which is also how much the clocks may differ.
    public var renewsBeforeExpiry = Duration.seconds(30)
    /// The time for a renewal, whoever waits for it, with all waiting for other processes. Default: 30 seconds.
    public var renewalTimeout = Duration.seconds(30)
    /// How long no renewal is tried after one has failed: requests then fail at once, as those did that waited. Default: 10
    /// seconds.
    public var pauseAfterFailure = Duration.seconds(10)
    /// Whether a response refuses the token. Default: when its status is 401.
    ///
    /// A request that could act twice is only sent again after a 401, whatever else this refuses.
    public var isRefusal: @Sendable (HTTPResponse) -> Bool = { $0.status == .unauthorized }
    /// Where time comes from. Default: the machine's clocks.
    public var timeSource = TimeSource.system

    /// Settings with everything at its default.
    public init() {}
  }
}
