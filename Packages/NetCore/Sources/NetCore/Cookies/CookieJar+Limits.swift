extension CookieJar {
  /// How much a jar keeps and sends. A cookie has at most 4,096 bytes of name and value and 1,024 of path, so that a full
  /// jar holds at most some 17 MB.
  public struct Limits: Sendable, Hashable {
    /// The most cookies of one domain, and the most fields that are read of one response. Default: 180, as browsers have
    /// it; RFC 6265bis asks for 50 at least.
    public var perDomain = 180
    /// The most cookies altogether. Default: 3,000.
    public var total = 3_000
    /// The most bytes of a Cookie field; cookies that would make it longer are left out, the last first. Default: 32 KiB.
    /// Many servers refuse fields of more than 8 KiB.
    public var fieldSize = 32 << 10

    /// The default limits.
    public init() {}
  }
}
