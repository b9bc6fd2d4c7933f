/// A token bucket: one token flows in after each interval, and it holds so many.
///
/// It is kept as one moment, the one when it will be full (the generic cell rate algorithm).
struct TokenBucket {
  private let interval: Duration
  /// How long an empty bucket takes until it lacks one token.
  private let slack: Duration
  private var full = Duration.zero

  init(_ limit: RateLimit) {
    interval = limit.period / limit.count
    slack = interval * (limit.burst - 1)
  }

  /// When there will be a token for one who comes after so many others.
  func moment(after others: Int) -> Duration {
    full - slack + interval * others
  }

  /// Takes a token, if there is one.
  mutating func take(at moment: Duration) -> Bool {
    guard self.moment(after: 0) <= moment else { return false }
    full = max(full, moment) + interval
    return true
  }

  /// Lets no token in until `moment`; then there is one, and more after each interval.
  mutating func pause(until moment: Duration) {
    full = max(full, moment + slack)
  }

  func isFull(at moment: Duration) -> Bool { full <= moment }
}
