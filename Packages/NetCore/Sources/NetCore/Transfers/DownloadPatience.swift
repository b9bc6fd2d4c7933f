#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Whether a download that failed is tried again, and when.
struct DownloadPatience: Sendable {
  /// The longest wait that a server may ask for.
  private static let longestRetryAfter = Duration.seconds(60)

  private let maximumFailures: Int
  private let backoff: Backoff
  private let chance: @Sendable () -> Double
  /// How far the download has ever come.
  private var furthest: Int64 = 0
  private var failures = 0
  private var lastWait = Duration.zero

  init(
    maximumFailures: Int, backoff: Backoff, chance: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
  ) {
    self.maximumFailures = maximumFailures
    self.backoff = backoff
    self.chance = chance
  }

  /// So many bytes are there: when that is more than ever, what failed before no longer counts.
  mutating func brought(upTo offset: Int64) {
    guard offset > furthest else { return }
    (furthest, failures, lastWait) = (offset, 0, .zero)
  }

  /// How long to wait before the next attempt; `nil` when there is none.
  ///
  /// - Parameters:
  ///   - error: Why the attempt failed.
  ///   - offset: How many bytes are there by now.
  ///   - now: The wall clock's time.
  mutating func wait(after error: APIError, upTo offset: Int64, now: Date) -> Duration? {
    brought(upTo: offset)
    failures += 1
    guard failures < maximumFailures, Self.mayPass(error) else { return nil }
    let asked = error.response?.fields[.retryAfter].flatMap { RetryAfter.wait($0, now: now) } ?? .zero
    guard asked <= Self.longestRetryAfter else { return nil }
    lastWait = max(backoff.wait(afterAttempt: failures, previous: lastWait, chance: chance()), asked)
    return lastWait
  }

  /// Whether another attempt could end better.
  private static func mayPass(_ error: APIError) -> Bool {
    switch error.kind {
    case .transport(.malformed), .transport(.tls), .transport(.proxy), .transport(.timedOut(.total)): false
    case .transport: true
    case .rateLimited, .serverError, .otherStatus:
      error.status.map(RetryPolicy.standard.statuses.contains) ?? false
    default: false
    }
  }
}
