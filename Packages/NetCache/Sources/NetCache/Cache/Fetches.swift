import Synchronization

/// The responses on their way into a store. What is removed from the cache while one is on its way is not stored by it
/// afterwards: it may be older than the change, or of somebody who has signed out.
final class Fetches: Sendable {
  private struct State {
    var fetches: [Int: (key: CacheKey, validity: Validity)] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  /// A new fetch, which is under way as long as somebody holds it.
  func begin(_ key: CacheKey) -> Fetch {
    let validity = Validity()
    let number = state.withLock { state in
      state.lastNumber += 1
      state.fetches[state.lastNumber] = (key, validity)
      return state.lastNumber
    }
    return Fetch(number: number, validity: validity, fetches: self)
  }

  /// Makes the fetches under way invalid whose keys are meant.
  func invalidate(where isMeant: (CacheKey) -> Bool) {
    state.withLock { state in
      for (key, validity) in state.fetches.values where isMeant(key) { validity.end() }
    }
  }

  fileprivate func end(_ number: Int) {
    state.withLock { $0.fetches[number] = nil }
  }
}

/// A response on its way into a store.
final class Fetch: Sendable {
  private let number: Int
  private let validity: Validity
  private let fetches: Fetches

  fileprivate init(number: Int, validity: Validity, fetches: Fetches) {
    self.number = number
    self.validity = validity
    self.fetches = fetches
  }

  deinit {
    fetches.end(number)
  }

  /// Whether the response may still be stored.
  var isValid: Bool { validity.holds }
}

private final class Validity: Sendable {
  private let flag = Atomic(true)

  var holds: Bool { flag.load(ordering: .sequentiallyConsistent) }

  func end() { flag.store(false, ordering: .sequentiallyConsistent) }
}
