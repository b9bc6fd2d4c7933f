import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Ends the process when something does not end. It watches from a thread of its own, which nothing here can block.
final class Watchdog: Sendable {
  typealias Subject = CustomStringConvertible & Sendable

  private let underWay = Mutex<[Int: (subject: any Subject, since: ContinuousClock.Instant)]>([:])
  private let limit: Duration
  private let seed: UInt64

  init(_ options: Options) {
    limit = max(.seconds(20), options.patience * 10)
    seed = options.seed
  }

  func start() {
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [self] in
      bark()
      start()
    }
  }

  /// Runs `work`, which must end within the limit; `key` tells it from all that is under way with it.
  func watch<Result>(_ subject: any Subject, key: Int, _ work: () async throws -> Result) async rethrows -> Result {
    underWay.withLock { $0[key] = (subject, .now) }
    defer { underWay.withLock { $0[key] = nil } }
    return try await work()
  }

  private func bark() {
    let late = underWay.withLock { $0.values.filter { $0.since.duration(to: .now) > limit } }
    guard !late.isEmpty else { return }
    for (subject, since) in late { print("HANG: \(subject) for \(since.duration(to: .now))") }
    print("seed \(seed)")
    fflush(nil)
    _exit(3)
  }
}
