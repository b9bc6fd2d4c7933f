import Synchronization

/// The uses of stored responses that are not yet written down. Writing each would make a hit a transaction.
///
/// What was used so shortly ago that only an eighth of the responses may have been used since is not noted: it is far from
/// being the next to go.
final class Uses: Sendable {
  private struct State {
    var newest: Int64 = 0
    var noted: [Int64] = []
    var known: Set<Int64> = []
  }

  private let slack: Int64
  private let state = Mutex(State())
  /// More than these wait no longer for somebody who writes something else.
  static let limit = 256

  init(entries: Int) {
    slack = Int64(entries / 8)
  }

  /// Notes that what was used last at `number` is used again.
  ///
  /// - Returns: Whether so many are noted that they should be written down now.
  func note(_ number: Int64) -> Bool {
    state.withLock { state in
      state.newest = max(state.newest, number)
      guard state.newest - number > slack, state.noted.count < 2 * Self.limit, state.known.insert(number).inserted
      else {
        return false
      }
      state.noted.append(number)
      return state.noted.count == Self.limit
    }
  }

  /// Nothing was used after `number`.
  func advance(to number: Int64) {
    state.withLock { $0.newest = max($0.newest, number) }
  }

  /// The noted uses, in their order, which are no longer noted then.
  func take() -> [Int64] {
    state.withLock { state in
      guard !state.noted.isEmpty else { return [] }
      defer { (state.noted, state.known) = ([], []) }
      return state.noted
    }
  }
}
