import NetCore

extension CurlTransport {
  /// How compressed content is asked for and decoded.
  ///
  /// The transport advertises the codings in `Accept-Encoding` and decodes what comes in one of them; the response then
  /// has neither `Content-Encoding` nor `Content-Length`. A request with an `Accept-Encoding` or `Range` of its own gets
  /// its content as it is on the wire.
  ///
  /// Content that ends before its end is `APIError` of kind `transport(.truncated)`, content that is not what it says
  /// `transport(.malformed)`, and content over a limit `tooLarge`.
  public struct ContentDecoding: Sendable, Hashable {
    /// Who decodes.
    public enum Decoder: Sendable, Hashable {
      /// This kit: gzip and deflate. A stream that is cut short, or goes on after its end, is an error.
      case strict
      /// libcurl: all it knows, which may be brotli and zstd beside (``CurlTransport/Capabilities``). It takes a
      /// compressed stream that is cut short for a whole one, where the connection's own framing does not tell; and for
      /// a slow reader it holds all that one receive buffer decodes to.
      case libcurl
    }

    /// Who decodes, and so which codings are advertised. Default: this kit.
    public var decoder = Decoder.strict
    /// The most bytes one body may decode to. Default: 4 GiB.
    public var maximumSize: Int64 = 4 << 30
    /// How many times its size on the wire a body may decode to; the first MiB is free. Default: 250 times, where a
    /// typical text has 3 to 20 and a bomb 1,000.
    public var maximumRatio = 250

    /// The defaults.
    public init() {}

    /// - Throws: `APIError` of kind `tooLarge` when so many bytes may not come of so many.
    func check(decoded: Int64, encoded: Int64) throws(APIError) {
      guard decoded <= maximumSize else {
        throw APIError(.tooLarge, reason: "The content decodes to more than the \(maximumSize) bytes of maximumSize.")
      }
      guard decoded <= Self.freeSize || decoded / Int64(maximumRatio) <= encoded else {
        throw APIError(
          .tooLarge, reason: "The content decodes to more than \(maximumRatio) times its size, the maximumRatio.")
      }
    }

    /// Decoded bytes to which the limit of the ratio does not apply.
    private static let freeSize: Int64 = 1 << 20
  }
}
