extension RetryPolicy: CustomStringConvertible {
  /// The settings on one line: `up to 3 attempts, exponential 0.5 s…30 s with full jitter, Retry-After up to 60 s, budget
  /// 20 % + 10`.
  public var description: String {
    guard maximumAttempts > 1 else { return "never" }
    return
      "up to \(maximumAttempts) attempts, \(backoff), Retry-After up to \(maximumRetryAfter.inUnits), budget \(budget)"
  }
}

extension RetryPolicy.Budget: CustomStringConvertible {
  /// The share and the floor: `20 % + 10`.
  public var description: String {
    share.isFinite ? "\(Int((min(max(share, 0), 1_000_000) * 100).rounded())) % + \(floor)" : "unlimited"
  }
}

extension Backoff: CustomStringConvertible {
  /// The settings: `exponential 0.5 s…30 s with full jitter`.
  public var description: String {
    let waits =
      if maximum == .zero {
        "no wait"
      } else if factor == 1 || base == maximum {
        "constant \(base.inUnits)"
      } else {
        "exponential \(base.inUnits)…\(maximum.inUnits)\(factor == 2 ? "" : " by \(factor)")"
      }
    return switch jitter {
    case .none: waits
    case .full: "\(waits) with full jitter"
    case .decorrelated: "\(waits) with decorrelated jitter"
    }
  }
}
