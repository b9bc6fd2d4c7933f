/// How much a store holds. What is beyond a limit makes the least recently used go.
public struct CacheLimits: Sendable, Hashable {
  /// The most bytes, of bodies and heads.
  public var bytes: Int64
  /// The most responses, each variant counted.
  public var entries: Int
  /// The most variants of one URL in one partition, at least 1. Default: 32.
  public var variants: Int
  /// The most bytes of one body. Default: an eighth of ``bytes``.
  public var bodySize: Int64

  /// Limits; `bodySize` is an eighth of `bytes` unless it is given.
  public init(bytes: Int64, entries: Int, variants: Int = 32, bodySize: Int64? = nil) {
    self.bytes = bytes
    self.entries = entries
    self.variants = max(1, variants)
    self.bodySize = bodySize ?? bytes / 8
  }
}
