/// How a request uses stored responses, here and in caches on its way (after the Fetch standard's cache modes).
///
/// A client says it to caches on the way with `Cache-Control` (RFC 9111, section 5.2.1), unless the request sets that
/// field itself. A cache in the client's own pipeline obeys it too.
public enum CacheMode: Sendable, Hashable {
  /// Fresh stored responses are used, stale ones revalidated. Sends nothing.
  case standard
  /// A stored response is used only after the server confirmed it, unless it is fresh and `immutable` (RFC 8246): `no-cache`.
  case noCache
  /// No stored response is used, the new one may be stored: `no-cache`.
  case reload
  /// A stored response is used whatever its age, unless it says `must-revalidate` or `no-cache`: `max-stale`.
  case forceCache
  /// A stored response is used whatever its age as by ``forceCache``, and the network is not asked: `only-if-cached`. Without
  /// one the answer is 504, as it is to what no cache answers, such as `POST`.
  case onlyIfCached
  /// Nothing is used and nothing kept: `no-store`.
  case noStore

  var cacheControl: String? {
    switch self {
    case .standard: nil
    case .noCache, .reload: "no-cache"
    case .forceCache: "max-stale"
    case .onlyIfCached: "only-if-cached"
    case .noStore: "no-store"
    }
  }
}
