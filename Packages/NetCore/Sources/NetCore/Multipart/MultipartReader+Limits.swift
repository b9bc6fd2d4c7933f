extension MultipartReader {
  /// What a reader accepts. Whatever passes a limit fails the reading with a ``MultipartError``.
  public struct Limits: Sendable, Hashable {
    /// The most parts. Default: 1000.
    public var maximumPartCount = 1000
    /// The most bytes of one part's fields. Default: 16 KiB.
    public var maximumHeadSize = 16 << 10
    /// The most bytes of one part's content. Default: 10 MB (10,000,000 bytes).
    public var maximumPartSize: Int64 = 10_000_000
    /// The most bytes of the form as a whole, with all that stands between the parts. Default: 100 MB (100,000,000 bytes).
    public var maximumSize: Int64 = 100_000_000

    /// The default limits.
    public init() {}
  }
}
