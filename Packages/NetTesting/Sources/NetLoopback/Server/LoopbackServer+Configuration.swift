extension LoopbackServer {
  /// The address a server listens on. It never listens on any other than the machine's own.
  public enum Host: String, Sendable, Hashable, CaseIterable {
    /// `127.0.0.1`.
    case ipv4 = "127.0.0.1"
    /// `::1`.
    case ipv6 = "::1"
  }

  /// A server's limits. What passes one is answered with a 4xx, and its connection is closed.
  public struct Configuration: Sendable {
    /// The longest request line, in bytes; past it 414. Default: 8,192.
    public var maximumRequestLineLength = 8_192
    /// The most header fields of a request, and the most trailer fields; past it 431. Default: 100.
    public var maximumFieldCount = 100
    /// The size of a request's header fields together, and of its trailer fields, in bytes; past it 431.
    /// Default: 64 KiB (65,536).
    public var maximumFieldsSize = 64 << 10
    /// The largest content of a request, in bytes; past it 413. It is never held in memory as a whole by the server.
    /// Default: 1 GiB (1,073,741,824).
    public var maximumBodySize = 1 << 30
    /// The time for a request's head from its first byte, or from the connection's start; past it 408.
    /// Default: 10 seconds.
    public var headTime = Duration.seconds(10)
    /// The time in which something of a request's content must come while a handler waits for it; past it 408.
    /// Default: 30 seconds.
    public var bodyIdleTime = Duration.seconds(30)
    /// The time for all of a request's content, from the first wait for it; past it 408. Default: 10 minutes.
    public var bodyTime = Duration.seconds(600)
    /// The time in which the client must take something of a response; past it the connection is reset.
    /// Default: 30 seconds.
    public var sendIdleTime = Duration.seconds(30)
    /// How long a connection is kept between two requests. Default: 60 seconds.
    public var keepAliveTime = Duration.seconds(60)
    /// The most connections at a time; more wait until one ends. Default: 1,024.
    public var maximumConnections = 1_024
    /// Whether a handler's task is cancelled when the client ends its half of the connection. Default: `true`, as a
    /// client that does so has nearly always left; `false` serves one that only sends no more.
    public var cancelsHandlersOfLeavingClients = true
    /// Whether responses get a `Date` (RFC 9110, section 6.6.1). Default: `true`.
    public var sendsDate = true
    /// Is told what a handler threw that is no ``LoopbackError``, and of responses that cannot be sent as they are: the
    /// client only gets a 500. Default: nobody is told.
    public var onHandlerFailure: (@Sendable (any Error, LoopbackRequest) -> Void)?

    /// The defaults.
    public init() {}
  }

  /// How a server is stopped.
  public enum StopMode: Sendable, Hashable {
    /// Connections are closed and handlers cancelled at once.
    case immediate
    /// No connection is accepted any more, idle ones are closed, and requests under way are answered within a limit;
    /// what is left then is stopped as ``immediate`` does.
    case graceful(within: Duration)
  }

  /// What a server has counted.
  public struct Counts: Sendable, Hashable {
    /// Connections accepted since the start.
    public internal(set) var connections = 0
    /// Connections that are open now.
    public internal(set) var openConnections = 0
    /// Requests whose head was read and accepted since the start.
    public internal(set) var requests = 0
    /// Requests whose handler runs, or whose response is being sent.
    public internal(set) var activeRequests = 0
  }
}
