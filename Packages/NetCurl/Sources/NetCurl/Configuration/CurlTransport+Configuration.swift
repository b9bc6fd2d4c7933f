extension CurlTransport.Configuration {
  /// Whether hosts may take many requests on one connection, which is HTTP/2.
  func mayShareConnection(isSecure: Bool) -> Bool {
    switch httpVersions {
    case .http1: false
    case .http2OverTLS: isSecure && CurlTransport.capabilities.http2
    case .http2WithPriorKnowledge: Libcurl.sharesPriorKnowledge
    }
  }
}

extension CurlTransport {
  /// A transport's settings. ``CurlTransport/init(_:)`` checks them.
  public struct Configuration: Sendable {
    /// How long each part of an exchange may take.
    public var limits = TimeLimits()
    /// How many connections there are, and how long unused ones are kept.
    public var connections = ConnectionLimits()
    /// Which versions of HTTP are spoken. Default: HTTP/2 where a TLS server offers it.
    public var httpVersions = HTTPVersions.http2OverTLS
    /// Whom to trust, and who to be. Default: the system's certificate authorities, TLS 1.2 or later.
    public var tls = TLS()
    /// The way out. Default: straight.
    public var proxy = Proxy.none
    /// How compressed content is asked for and decoded; `nil` neither asks nor decodes. Default: gzip and deflate.
    public var decoding: ContentDecoding? = ContentDecoding()
    /// Which addresses of a host are used. Default: any.
    public var addressFamily = AddressFamily.any
    /// The path of a Unix socket that stands for every host; `nil`, the default, for the network.
    public var unixSocket: String?
    /// How long a host's addresses are remembered, in whole seconds; zero asks each time. Default: 60 seconds.
    public var nameCacheLifetime = Duration.seconds(60)
    /// The most bytes of header and trailer fields of one exchange, interim responses included, from 1 to 300,000.
    /// More ends it with `APIError` of kind `tooLarge`. Default: 64 KiB.
    public var maximumHeadSize = 64 << 10
    /// The bytes of a body that are received ahead of its reader, twice at most; from 16 KiB to 512 KiB. Default: 256 KiB.
    public var bufferSize = 256 << 10
    /// How many threads share the work, from 1 to 64. Each has connections of its own, and the limits of
    /// ``connections`` hold for each. Default: 1, which is enough for tens of thousands of requests a second.
    public var threads = 1

    /// The defaults.
    public init() {}
  }

  /// Which versions of HTTP a transport speaks.
  public enum HTTPVersions: Sendable, Hashable {
    /// HTTP/1.1 only.
    case http1
    /// HTTP/2 with a server that offers it in the TLS handshake (ALPN), else HTTP/1.1.
    case http2OverTLS
    /// HTTP/2 with every server, without asking, also without TLS (RFC 9113, section 3.3). With libcurl 7.88 each request
    /// has a connection of its own, since that version fails on one that was used.
    case http2WithPriorKnowledge
  }

  /// Which addresses of a host a transport uses.
  public enum AddressFamily: Sendable, Hashable {
    /// IPv6 and IPv4, whichever connects first (RFC 8305).
    case any
    /// IPv4 only.
    case ipv4
    /// IPv6 only.
    case ipv6
  }
}
