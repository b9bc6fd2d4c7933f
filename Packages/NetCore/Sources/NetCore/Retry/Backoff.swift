/// How long to wait before an attempt is repeated, when the server does not say.
public struct Backoff: Sendable, Hashable {
  /// How chance spreads the waits, so that many clients do not come back at the same moment.
  public enum Jitter: Sendable, Hashable {
    /// Not at all.
    case none
    /// Anywhere from zero to the computed wait.
    case full
    /// Anywhere from the first wait to three times the one before.
    case decorrelated
  }

  let base: Duration
  let factor: Double
  let maximum: Duration
  let jitter: Jitter

  private init(base: Duration, factor: Double, maximum: Duration, jitter: Jitter) {
    self.base = max(base, .zero)
    self.factor = max(factor, 1)
    self.maximum = max(maximum, .zero)
    self.jitter = jitter
  }

  /// No wait.
  public static let none = constant(.zero)

  /// The same wait each time.
  public static func constant(_ wait: Duration) -> Backoff {
    Backoff(base: wait, factor: 1, maximum: wait, jitter: .none)
  }

  /// A wait that grows by a factor each time.
  ///
  /// - Parameters:
  ///   - base: The first wait. Default: 0.5 seconds.
  ///   - factor: What each wait is multiplied by, at least 1. Default: 2.
  ///   - maximum: The longest wait. Default: 30 seconds.
  ///   - jitter: How chance spreads the waits. Default: full.
  public static func exponential(
    base: Duration = .milliseconds(500), factor: Double = 2, maximum: Duration = .seconds(30), jitter: Jitter = .full
  ) -> Backoff {
    Backoff(base: base, factor: factor, maximum: maximum, jitter: jitter)
  }

  /// The wait after an attempt has failed.
  ///
  /// - Parameters:
  ///   - attempt: Which attempt it was, from 1.
  ///   - previous: The wait before that attempt; zero before the first.
  ///   - chance: A number from 0 up to 1, but not 1.
  func wait(afterAttempt attempt: Int, previous: Duration, chance: Double) -> Duration {
    let longest = maximum.inSeconds
    let growing = min(base.inSeconds * growth(attempt), longest)
    switch jitter {
    case .none:
      return .seconds(growing)
    case .full:
      return .seconds(growing * chance)
    case .decorrelated:
      let shortest = min(base.inSeconds, longest)
      let upper = max(shortest, min(previous.inSeconds * 3, longest))
      return .seconds(shortest + (upper - shortest) * chance)
    }
  }

  private func growth(_ attempt: Int) -> Double {
    var growth = 1.0
    for _ in 1..<max(1, min(attempt, 1_000)) { growth *= factor }
    return growth
  }
}

extension Duration {
  /// The duration as a number of seconds.
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
