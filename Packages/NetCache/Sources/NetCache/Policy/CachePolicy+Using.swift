import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is done for a request.
enum CacheDecision: Sendable {
  /// A stored response is the answer. With `refresh` the server is asked for a new one meanwhile.
  case use(StoredResponse, CacheOutcome, refresh: Bool)
  /// The server is asked, about a stored response when there is one.
  case ask(StoredResponse?)
  /// There is no answer, since the server must not be asked (RFC 9111, section 5.2.1.7).
  case unavailable
}

extension CachePolicy {
  /// Why a cache stands aside for a request; `nil` when it does not.
  func bypass(_ request: RequestFacts) -> CacheOutcome.BypassReason? {
    if request.method != .get, request.method != .head { return .method }
    if request.hasContent { return .content }
    if request.isNoStore { return .noStore }
    return request.hasServerCondition ? .condition : nil
  }

  /// What is done for a request, given the stored responses that match it.
  func decision(for request: RequestFacts, stored: [StoredResponse], at now: Date) -> CacheDecision {
    guard let best = newest(of: stored), request.mode != .reload else {
      return request.isOnlyIfCached ? .unavailable : .ask(nil)
    }
    let freshness = freshness(of: best.head, at: now)
    let age = Duration.seconds(min(freshness.age, 1e9))
    switch use(of: best.head, freshness, for: request) {
    case .fresh: return .use(best, .hit(age: age), refresh: false)
    case .stale(let reason):
      let refresh = reason == .whileRevalidating && !request.isOnlyIfCached
      return .use(best, .staleHit(age: age, reason), refresh: refresh)
    case .confirmed: return request.isOnlyIfCached ? .unavailable : .ask(best)
    }
  }

  /// Of several responses that match, the one made last is used (RFC 9111, section 4).
  private func newest(of stored: [StoredResponse]) -> StoredResponse? {
    guard stored.count > 1 else { return stored.first }
    return stored.max {
      ($0.head.facts.date, $0.head.responseTime, $0.id) < ($1.head.facts.date, $1.head.responseTime, $1.id)
    }
  }

  private enum Use {
    case fresh
    case stale(CacheOutcome.StaleReason)
    /// Only after the server confirmed it.
    case confirmed
  }

  private func use(of head: StoredHead, _ freshness: Freshness, for request: RequestFacts) -> Use {
    let control = head.facts.control
    if control.flags.contains(.noCache) { return .confirmed }
    if request.isNoCache {
      // A reload spares what cannot change; a caller who says no-cache himself gets it (RFC 8246, section 2).
      let isSpared = request.mode == .noCache && control.flags.contains(.immutable) && freshness.isFresh
      return isSpared ? .fresh : .confirmed
    }
    let isFreshEnough = freshness.lifetime - freshness.age >= request.minimumFreshness
    if freshness.isFresh, isFreshEnough, freshness.age <= request.maximumAge ?? .infinity { return .fresh }
    guard !control.flags.contains(.mustRevalidate) else { return .confirmed }
    let staleness = staleness(freshness, for: request)
    if request.acceptsAnyAge || request.minimumFreshness == 0 && staleness <= request.control.maxStale.value ?? -1 {
      return staleness < 0 ? .fresh : .stale(.requested)
    }
    if !request.isDemanding, staleness <= control.staleWhileRevalidate.value ?? -1 { return .stale(.whileRevalidating) }
    return .confirmed
  }

  /// By how many seconds a response is older than its lifetime, and than what the caller accepts.
  private func staleness(_ freshness: Freshness, for request: RequestFacts) -> TimeInterval {
    freshness.age - min(freshness.lifetime, request.maximumAge ?? .infinity)
  }

  /// Why a stale response may be the answer after the server failed with a status or an error; `nil` when it may not.
  func fallback(
    to head: StoredHead, after failure: ServerFailure, for request: RequestFacts, at now: Date
  ) -> CacheOutcome? {
    let control = head.facts.control
    guard control.flags.isDisjoint(with: [.noCache, .mustRevalidate]), !request.isNoCache else { return nil }
    let freshness = freshness(of: head, at: now)
    let staleness = staleness(freshness, for: request)
    let age = Duration.seconds(min(freshness.age, 1e9))
    func isWithin(_ limit: TimeInterval?) -> Bool { limit.map { staleness <= $0 } ?? false }
    if isWithin(staleIfError(control, request)) {
      return .staleHit(age: age, failure == .disconnected ? .disconnected : .serverError)
    }
    // A caller with demands of its own has said that it accepts nothing older (RFC 9111, section 5.2.1.1).
    guard failure == .disconnected, !request.isDemanding, isWithin(staleWhenDisconnected.map(TimeInterval.init))
    else { return nil }
    return .staleHit(age: age, .disconnected)
  }

  /// How long a response may be stale after an error: what the caller says counts before what the response says.
  private func staleIfError(_ response: CacheControl, _ request: RequestFacts) -> TimeInterval? {
    if let asked = request.control.staleIfError.value { return asked }
    if request.isDemanding { return nil }
    return response.staleIfError.value ?? staleIfError.map(TimeInterval.init)
  }
}

extension RequestFacts {
  /// Whether the caller restricts by itself what it accepts.
  fileprivate var isDemanding: Bool { maximumAge != nil || minimumFreshness > 0 }
}

/// How a server failed to answer.
enum ServerFailure: Sendable, Hashable {
  /// It answered 500, 502, 503 or 504, or broke off (RFC 5861, section 4).
  case error
  /// It cannot be reached.
  case disconnected

  /// `nil` for a status that is no failure in this sense.
  init?(_ status: HTTPResponse.Status) {
    switch status.code {
    case 500, 502, 503, 504: self = .error
    default: return nil
    }
  }

  /// `nil` for an error that a stored response must not hide: one of the request's own making, a cancellation, and a server
  /// that is not trusted.
  init?(_ error: any Error) {
    switch (error as? APIError)?.kind {
    case .transport(.tls), .transport(.timedOut(.total)): return nil
    case .transport(.truncated), .transport(.malformed), .transport(.other): self = .error
    // The client's circuit breaker is open because of failures like these.
    case .transport, .rejected(.circuitOpen): self = .disconnected
    default: return nil
    }
  }
}
