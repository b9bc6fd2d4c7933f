import NetCore
import Synchronization

/// What has come of the requests so far.
final class Tally: Sendable {
  private struct State {
    var outcomes: [String: [Outcome: Int]] = [:]
    var violations: [String] = []
    var slowestCancellation = Duration.zero
    var arrivals: [UInt8]

    mutating func violate(_ what: String) {
      if violations.count < 50 { violations.append(what) }
    }
  }

  private let state: Mutex<State>

  init(requests: Int) {
    state = Mutex(State(arrivals: Array(repeating: 0, count: requests)))
  }

  /// Notes that the server saw a request that it must see once at most.
  func arrived(_ plan: Plan) {
    state.withLock { state in
      state.arrivals[plan.number] &+= 1
      if plan.isOnce, state.arrivals[plan.number] > 1 {
        state.violate("\(plan), without a key, reached the server twice")
      }
    }
  }

  /// Notes how a request ended, and how long after its cancellation if it was cancelled.
  func ended(_ plan: Plan, _ outcome: Outcome, _ error: (any Error)?, afterCancellation time: Duration?) {
    state.withLock { state in
      state.outcomes[plan.trouble.name, default: [:]][outcome, default: 0] += 1
      if let time { state.slowestCancellation = max(state.slowestCancellation, time) }
      if !outcome.isDocumented(for: plan) {
        state.violate("\(plan) ended with: \(outcome). \((error as? APIError)?.reason ?? "")")
      }
    }
  }

  func violate(_ what: String) {
    state.withLock { $0.violate(what) }
  }

  var violations: [String] { state.withLock { $0.violations } }

  func printTable() {
    let state = state.withLock { (outcomes: $0.outcomes, slowest: $0.slowestCancellation) }
    print("\noutcomes by what the server did")
    for trouble in Trouble.all {
      let counts = (state.outcomes[trouble.name] ?? [:]).sorted { $0.value > $1.value }
      let text = counts.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
      print("  \(trouble.name)\(String(repeating: " ", count: max(1, 46 - trouble.name.count)))\(text)")
    }
    print("\nthe slowest cancellation took \(state.slowest / .milliseconds(1)) ms")
  }
}
