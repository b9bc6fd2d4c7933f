#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Where a client's time comes from: a monotonic clock for waits and limits, and the wall clock for dates on the wire.
///
/// One is injected into a client; tests inject a virtual one.
public struct TimeSource: Sendable {
  private let read: @Sendable () -> Duration
  private let wait: @Sendable (Duration) async throws -> Void
  private let date: @Sendable () -> Date

  /// The machine's continuous clock and its wall clock.
  public static let system = TimeSource(ContinuousClock())

  /// Time from any clock that counts in `Duration`.
  ///
  /// - Parameters:
  ///   - clock: Measures and waits.
  ///   - now: The wall clock.
  public init<C: Clock<Duration>>(_ clock: C, now: @escaping @Sendable () -> Date = { Date() }) {
    let origin = clock.now
    read = { origin.duration(to: clock.now) }
    wait = { try await clock.sleep(until: origin.advanced(by: $0), tolerance: nil) }
    date = now
  }

  /// The time since a fixed moment of this source's past.
  public var elapsed: Duration { read() }

  /// The wall clock's time.
  public var now: Date { date() }

  /// Waits until ``elapsed`` is `moment`, or for 100 years: clocks have no room for much more.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(until moment: Duration) async throws {
    try await wait(min(moment, elapsed + .seconds(100 * 365 * 86_400)))
  }
}
