/// How much a cache holds.
public struct CacheInfo: Sendable, Hashable {
  /// The number of responses, each variant counted.
  public var entries: Int
  /// Their size in bytes: bodies and heads.
  public var bytes: Int64

  /// So much.
  public init(entries: Int, bytes: Int64) {
    self.entries = entries
    self.bytes = bytes
  }
}
