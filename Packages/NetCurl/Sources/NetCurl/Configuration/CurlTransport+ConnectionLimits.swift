extension CurlTransport {
  /// How much a transport does at a time, and how long it keeps unused connections.
  public struct ConnectionLimits: Sendable, Hashable {
    /// The most exchanges at a time with one scheme, host and port, and so with HTTP/1.1 the most connections; HTTP/2 carries
    /// them on one. Further requests wait, first come, first served. Default: 64.
    public var perHost = 64
    /// The most exchanges at a time in all; further requests wait. As many unused connections are kept. Default: 256.
    public var total = 256
    /// How long an unused connection may be used again, in whole seconds. When nothing at all was asked for that long,
    /// the transport closes all connections and ends its threads until the next request. Default: 60 seconds.
    public var idleLifetime = Duration.seconds(60)

    /// The defaults.
    public init() {}
  }
}
