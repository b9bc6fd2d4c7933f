extension CurlTransport {
  /// How long each part of an exchange may take, in real time. A limit that passes ends the exchange with `APIError` of
  /// kind `transport(.timedOut(…))` and the phase given here; `nil` sets none.
  ///
  /// Fractions of a second count, down to a millisecond. Zero and below are refused when the transport is made.
  public struct TimeLimits: Sendable, Hashable {
    /// From the start to a connection that is ready: the wait for a free one, the name lookup and the TLS handshake
    /// included. Phase `connect`. Default: 10 seconds.
    public var connect: Duration? = .seconds(10)
    /// From the last byte of the request to the first of the response. Phase `firstByte`. Default: 60 seconds.
    public var firstByte: Duration? = .seconds(60)
    /// Between two bytes of the response. It does not run while the reader is the slow one. Phase `idle`. Default: 60
    /// seconds.
    public var idle: Duration? = .seconds(60)
    /// The exchange from its start to the last byte, however slow the reader. Phase `attempt`. Default: none.
    public var attempt: Duration?

    /// The defaults.
    public init() {}

    var all: [Duration] { [connect, firstByte, idle, attempt].compactMap(\.self) }
  }
}
