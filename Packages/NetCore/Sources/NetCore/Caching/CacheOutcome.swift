/// What a client's cache did for a call.
public enum CacheOutcome: Sendable, Hashable {
  /// A fresh stored response, so old (RFC 9111, section 4.2.3).
  case hit(age: Duration)
  /// A stored response that is no longer fresh, so old, and why it was used.
  case staleHit(age: Duration, StaleReason)
  /// A stored response that the server has confirmed for this call.
  case revalidated
  /// A response from the network. The network was not asked where that was not allowed, which is status 504.
  case miss
  /// The cache stood aside.
  case bypass(BypassReason)

  /// Why a stale response was used.
  public enum StaleReason: String, Sendable, Hashable {
    /// The caller accepts it.
    case requested = "as requested"
    /// The server allows it for a while, and is asked for a new one meanwhile: `stale-while-revalidate` (RFC 5861).
    case whileRevalidating = "while it is revalidated"
    /// The server failed, and it or the caller allows it then: `stale-if-error` (RFC 5861).
    case serverError = "because the server failed"
    /// The server could not be reached (RFC 9111, section 4.2.4).
    case disconnected = "because the server cannot be reached"
  }

  /// Why the cache stood aside.
  public enum BypassReason: String, Sendable, Hashable {
    /// The call asks for it: ``CacheMode/noStore``, or `no-store` in its `Cache-Control`.
    case noStore = "no-store"
    /// Only answers to `GET` and `HEAD` are taken from a cache.
    case method
    /// The request has content, by which a cache cannot tell requests apart.
    case content
    /// The request has a condition that only the server can judge: `If-Match`, `If-Unmodified-Since`.
    case condition
  }
}

extension CacheOutcome {
  /// A word for it, without age and reason.
  var name: String {
    switch self {
    case .hit: "hit"
    case .staleHit: "stale hit"
    case .revalidated: "revalidated"
    case .miss: "miss"
    case .bypass: "bypass"
    }
  }
}

extension CacheOutcome: CustomStringConvertible {
  /// `hit, 12.00 s old`
  public var description: String {
    switch self {
    case .hit(let age): "hit, \(age.readable) old"
    case .staleHit(let age, let reason): "stale hit \(reason.rawValue), \(age.readable) old"
    case .revalidated: "revalidated"
    case .miss: "miss"
    case .bypass(let reason): "bypass (\(reason.rawValue))"
    }
  }
}
