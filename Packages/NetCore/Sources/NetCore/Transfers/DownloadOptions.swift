/// How a file is downloaded.
public struct DownloadOptions: Sendable {
  /// The SHA-256 that the file must have, as 64 hexadecimal digits in either case. Default: `nil`; then the server's own
  /// `Repr-Digest` (RFC 9530) is checked, when it sends one with `sha-256`.
  public var sha256: String?
  /// The most bytes the file may have. Default: `nil`, as many as there is room for.
  public var maximumSize: Int64?
  /// How often in a row an attempt may fail that brought nothing new, until the download fails, at least 1. Default: 5.
  ///
  /// An attempt that brought something new, however little, begins the count and the waits anew.
  public var maximumFailures = 5
  /// How long to wait before the next attempt. A server's `Retry-After` of up to 60 seconds counts when it is longer; one of
  /// more fails the download. Default: exponential from 0.5 seconds, with full jitter.
  public var backoff = Backoff.exponential()
  /// Where time comes from. Default: the machine's clocks.
  public var timeSource = TimeSource.system

  /// Everything at its default.
  public init() {}
}
