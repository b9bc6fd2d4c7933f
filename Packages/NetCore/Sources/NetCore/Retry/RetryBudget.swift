import Synchronization

/// Counts the calls and retries of the last ten seconds, host by host.
final class RetryBudget: Sendable {
  private static let maximumHosts = 1_000

  private let hosts = Mutex<[String: Window]>([:])

  /// Counts a call to `host`.
  func addCall(to host: String, at moment: Duration) {
    hosts.withLock { hosts in
      if hosts.count >= Self.maximumHosts, hosts[host] == nil {
        hosts = hosts.filter { $0.value.isCurrent(at: moment) }
        if hosts.count >= Self.maximumHosts { hosts.removeAll() }
      }
      hosts[host, default: Window()].add(calls: 1, retries: 0, at: moment)
    }
  }

  /// Counts a retry to `host`, if `limit` allows one more.
  func takeRetry(to host: String, at moment: Duration, within limit: RetryPolicy.Budget) -> Bool {
    hosts.withLock { hosts in
      let (calls, retries) = hosts[host]?.totals(at: moment) ?? (0, 0)
      guard Double(retries) < Double(limit.floor) + limit.share * Double(calls) else { return false }
      hosts[host, default: Window()].add(calls: 0, retries: 1, at: moment)
      return true
    }
  }

  /// What happened in the last ten seconds, a second at a time.
  private struct Window {
    private var seconds = [(second: Int64, calls: Int, retries: Int)](repeating: (-100, 0, 0), count: 10)

    mutating func add(calls: Int, retries: Int, at moment: Duration) {
      let second = moment.components.seconds
      let slot = Int(second % 10)
      if seconds[slot].second != second { seconds[slot] = (second, 0, 0) }
      seconds[slot].calls += calls
      seconds[slot].retries += retries
    }

    func totals(at moment: Duration) -> (calls: Int, retries: Int) {
      let oldest = moment.components.seconds - 9
      return seconds.reduce((0, 0)) { $1.second >= oldest ? ($0.0 + $1.calls, $0.1 + $1.retries) : $0 }
    }

    func isCurrent(at moment: Duration) -> Bool {
      totals(at: moment) != (0, 0)
    }
  }
}
