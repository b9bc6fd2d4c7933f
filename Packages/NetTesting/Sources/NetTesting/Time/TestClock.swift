public import Foundation
public import NetCore
import Synchronization

/// Virtual time: it stands still until the test advances it, so that tests of waits and limits never wait.
///
///     let clock = TestClock()
///     configuration.timeSource = clock.timeSource
///     async let tip = client.send(GetTip())              // answered 503 with Retry-After: 5
///     try await clock.waitForSleeper(until: .seconds(5)) // the retry waits …
///     clock.advance(by: .seconds(5))                     // … and time passes
///
/// Advancing wakes every sleeper whose moment has come, in the order of their moments. Wait for a sleeper before advancing:
/// time that has passed before it sleeps does not count for it. The time limit of a client's call is a sleeper too, so a
/// client that waits to retry has two.
public final class TestClock: Clock {
  /// A moment of the clock: the time since it was made.
  public struct Instant: InstantProtocol {
    /// The time since the clock was made.
    public let elapsed: Duration

    /// The moment so long after the clock was made.
    public init(elapsed: Duration) { self.elapsed = elapsed }

    /// The moment so much later.
    public func advanced(by duration: Duration) -> Instant { Instant(elapsed: elapsed + duration) }
    /// How much later `other` is.
    public func duration(to other: Instant) -> Duration { other.elapsed - elapsed }
    /// Whether `one` is earlier than `other`.
    public static func < (one: Instant, other: Instant) -> Bool { one.elapsed < other.elapsed }
  }

  private struct State {
    var elapsed = Duration.zero
    var sleepers: [Int: (until: Duration, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var observers: [Int: (isMet: Condition, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var lastNumber = 0

    /// The moments until which somebody sleeps.
    var moments: [Duration] { sleepers.values.map(\.until) }

    mutating func nextNumber() -> Int {
      lastNumber += 1
      return lastNumber
    }
  }

  private let state = Mutex(State())
  private let start: Date

  /// A clock that stands at its beginning.
  ///
  /// - Parameter start: What the wall clock says then. Default: 2026-01-01T00:00:00Z.
  public init(start: Date = Date(timeIntervalSince1970: 1_767_225_600)) {
    self.start = start
  }

  /// The time source for a client: waits on this clock, and a wall clock that advances with it.
  public var timeSource: TimeSource {
    TimeSource(self, now: { [self] in start + TimeInterval(now.elapsed) })
  }

  /// The moment at which the clock stands.
  public var now: Instant { Instant(elapsed: state.withLock { $0.elapsed }) }

  /// Zero: the clock stands exactly where it was advanced to.
  public var minimumResolution: Duration { .zero }

  /// The moments until which somebody sleeps, the earliest first.
  public var sleepers: [Instant] {
    state.withLock { $0.sleepers.values.map(\.until).sorted().map(Instant.init) }
  }

  /// Advances the time and wakes those whose moment has come, of one moment those first who came first.
  public func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.elapsed += duration
      let due = state.sleepers.filter { $0.value.until <= state.elapsed }
        .sorted { ($0.value.until, $0.key) < ($1.value.until, $1.key) }
      for (number, _) in due { state.sleepers[number] = nil }
      return due.map(\.value.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Sleeps until the test has advanced the time to `deadline`.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { $0.nextNumber() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (result, observers) = state.withLock { state -> (Result<Void, any Error>?, [Waiting]) in
          if Task.isCancelled { return (.failure(CancellationError()), []) }
          if deadline.elapsed <= state.elapsed { return (.success(()), []) }
          state.sleepers[number] = (deadline.elapsed, continuation)
          let moments = state.moments
          let reached = state.observers.filter { $0.value.isMet(moments) }
          for (number, _) in reached { state.observers[number] = nil }
          return (nil, reached.map(\.value.continuation))
        }
        if let result { continuation.resume(with: result) }
        for observer in observers { observer.resume() }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Returns when at least `count` sleepers wait.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - limit: How long to wait for them in real time. Default: 10 seconds.
  /// - Throws: ``WaitLimitReached`` after that; `CancellationError`.
  public func waitForSleepers(_ count: Int, within limit: Duration = .seconds(10)) async throws {
    try await wait(for: "\(count) sleepers", within: limit) { $0.count >= count }
  }

  /// Returns when somebody sleeps until `moment`.
  ///
  /// - Parameters:
  ///   - moment: The moment, as the time since the clock was made.
  ///   - limit: How long to wait for the sleeper in real time. Default: 10 seconds.
  /// - Throws: ``WaitLimitReached`` after that; `CancellationError`.
  public func waitForSleeper(until moment: Duration, within limit: Duration = .seconds(10)) async throws {
    try await wait(for: "a sleeper until \(moment)", within: limit) { $0.contains(moment) }
  }

  private func wait(for awaited: String, within limit: Duration, _ isMet: @escaping Condition) async throws {
    let number = state.withLock { $0.nextNumber() }
    let timer = Task { [self] in
      try await ContinuousClock().sleep(for: limit)
      let found = state.withLock { $0.moments.sorted().map { "\($0)" }.joined(separator: ", ") }
      takeObserver(number)?.resume(
        throwing: WaitLimitReached(
          "\(awaited) on the test clock, which has sleepers until: \(found.isEmpty ? "none" : found)", limit: limit))
    }
    defer { timer.cancel() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: Waiting) in
        let result: Result<Void, any Error>? = state.withLock { state in
          if Task.isCancelled { return .failure(CancellationError()) }
          if isMet(state.moments) { return .success(()) }
          state.observers[number] = (isMet, continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      takeObserver(number)?.resume(throwing: CancellationError())
    }
  }

  /// Whether the moments until which somebody sleeps are what is waited for.
  private typealias Condition = @Sendable ([Duration]) -> Bool
  private typealias Waiting = CheckedContinuation<Void, any Error>

  private func takeObserver(_ number: Int) -> Waiting? {
    state.withLock { $0.observers.removeValue(forKey: number)?.continuation }
  }
}

extension TimeInterval {
  fileprivate init(_ duration: Duration) {
    self = TimeInterval(duration.components.seconds) + TimeInterval(duration.components.attoseconds) / 1e18
  }
}
