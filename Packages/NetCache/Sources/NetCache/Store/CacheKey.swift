/// What a stored response is found by: whose it is, and the URL.
public struct CacheKey: Sendable, Hashable {
  /// Whose response it is: empty when the request had no credentials. Two partitions never see each other's responses.
  ///
  /// It holds no secret: the name of a credential scope, or a digest of an `Authorization` field of the request's own.
  public let partition: String
  /// The URL in one of the forms that mean the same, without a fragment.
  public let url: String

  /// A key as a store wrote it down.
  public init(partition: String, url: String) {
    self.partition = partition
    self.url = url
  }
}
