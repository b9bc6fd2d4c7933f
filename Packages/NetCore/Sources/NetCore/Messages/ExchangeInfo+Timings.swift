extension ExchangeInfo {
  /// One attempt as its transport measured it: each duration is the time from the attempt's start to that moment.
  ///
  /// For a collected response it covers the body; for a streamed one it ends with the head.
  public struct Timings: Sendable, Hashable {
    /// The host's name was resolved; `nil` on a reused connection.
    public var nameLookup: Duration?
    /// The connection was there; `nil` on a reused one.
    public var connect: Duration?
    /// The TLS handshake was done; `nil` on a reused connection and without TLS.
    public var tls: Duration?
    /// The first byte of the response arrived.
    public var firstByte: Duration
    /// The attempt was measured to here.
    public var total: Duration
    /// The bytes of content sent.
    public var bytesSent: Int64
    /// The bytes of content received, before decoding.
    public var bytesReceived: Int64
    /// Whether the request went over a connection an earlier one had opened.
    public var isConnectionReused: Bool
    /// The other side's numeric address with its port: the server's, or the proxy's; `nil` for a Unix socket.
    public var remoteAddress: String?
    /// The protocol spoken: `HTTP/1.1`, `HTTP/2`.
    public var protocolName: String

    /// An attempt over a connection that was there.
    public init(
      nameLookup: Duration? = nil, connect: Duration? = nil, tls: Duration? = nil, firstByte: Duration,
      total: Duration, bytesSent: Int64 = 0, bytesReceived: Int64 = 0, isConnectionReused: Bool = true,
      remoteAddress: String? = nil, protocolName: String = "HTTP/1.1"
    ) {
      self.nameLookup = nameLookup
      self.connect = connect
      self.tls = tls
      self.firstByte = firstByte
      self.total = total
      self.bytesSent = bytesSent
      self.bytesReceived = bytesReceived
      self.isConnectionReused = isConnectionReused
      self.remoteAddress = remoteAddress
      self.protocolName = protocolName
    }
  }
}
