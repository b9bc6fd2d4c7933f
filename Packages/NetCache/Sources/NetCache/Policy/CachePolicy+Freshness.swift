import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How old a stored response is, and for how long it is fresh, in seconds.
struct Freshness: Sendable, Hashable {
  var age: TimeInterval
  var lifetime: TimeInterval

  /// Whether the response is fresh (RFC 9111, section 4.2).
  var isFresh: Bool { lifetime > age }
}

extension CachePolicy {
  /// The freshness of a stored response at `now`.
  func freshness(of head: StoredHead, at now: Date) -> Freshness {
    Freshness(age: age(of: head, at: now), lifetime: lifetime(of: head))
  }

  /// The age (RFC 9111, section 4.2.3). A wall clock that was set back makes it infinite, since nobody knows how much time
  /// has passed.
  private func age(of head: StoredHead, at now: Date) -> TimeInterval {
    let facts = head.facts
    let delay = max(0, head.responseTime.timeIntervalSince(head.requestTime))
    let apparent = max(0, head.responseTime.timeIntervalSince(facts.date))
    let resident = now.timeIntervalSince(head.responseTime)
    // Less than a second is no setting of a clock: processes share a store, and clocks are corrected.
    guard resident > -1 else { return .infinity }
    return max(apparent, facts.age + delay) + max(0, resident)
  }

  /// The lifetime (RFC 9111, section 4.2.1), without `s-maxage`, which is for shared caches.
  private func lifetime(of head: StoredHead) -> TimeInterval {
    let facts = head.facts
    if let explicit = facts.explicitLifetime { return explicit }
    guard head.status.isHeuristicallyCacheable || facts.control.flags.contains(.isPublic),
      let lastModified = facts.lastModified
    else { return 0 }
    let limit = TimeInterval(maximumHeuristicLifetime)
    return min(max(0, facts.date.timeIntervalSince(lastModified)) * heuristicFraction, limit)
  }
}

extension HTTPResponse.Status {
  /// Whether a response may be stored without being told (RFC 9110, section 15.1). 206 is among them there, but this cache
  /// stores no parts.
  var isHeuristicallyCacheable: Bool {
    switch code {
    case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
    default: false
    }
  }
}

extension TimeInterval {
  /// The seconds of a duration.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self = Double(seconds) + Double(attoseconds) / 1e18
  }
}
