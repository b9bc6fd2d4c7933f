/// Which stored responses are meant.
public enum CacheSelection: Sendable, Hashable {
  /// All.
  case all
  /// Those of a URL, in every partition.
  case url(String)
  /// Those whose URL begins with these characters, in every partition.
  case prefix(String)
  /// Those of a partition.
  case partition(String)
  /// One, which was found under this key.
  case response(StoredResponse.ID, of: CacheKey)
}
