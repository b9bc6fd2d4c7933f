/// Those who wait, the first first. Any of them may leave.
///
/// Joining, being called and leaving take constant time on the average, but for the search for who leaves.
struct WaitingLine<Waiter> {
  private var entries: [(number: Int, waiter: Waiter?)] = []
  /// Where the first may stand.
  private var start = 0
  /// How many wait.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// How many are held in memory, those who left included.
  var places: Int { entries.count }

  /// The number of the first; `nil` when nobody waits.
  var firstNumber: Int? { isEmpty ? nil : entries[start].number }

  /// Lets `waiter` wait behind all others.
  ///
  /// - Parameter number: Names the waiter; higher than any before it.
  mutating func append(_ waiter: Waiter, number: Int) {
    entries.append((number, waiter))
    count += 1
  }

  /// Calls the first.
  mutating func popFirst() -> Waiter? {
    guard !isEmpty else { return nil }
    let waiter = entries[start].waiter
    vacate(start)
    return waiter
  }

  /// Lets the waiter with `number` leave.
  ///
  /// - Returns: Whether it was still waiting.
  mutating func remove(_ number: Int) -> Bool {
    guard let place = place(of: number), entries[place].waiter != nil else { return false }
    vacate(place)
    return true
  }

  private mutating func vacate(_ place: Int) {
    entries[place].waiter = nil
    count -= 1
    if count == 0 {
      (entries, start) = ([], 0)
      return
    }
    while entries[start].waiter == nil { start += 1 }
    guard entries.count > 2 * count + 32 else { return }
    entries.removeAll { $0.waiter == nil }
    start = 0
  }

  /// Binary search: the numbers ascend.
  private func place(of number: Int) -> Int? {
    var (low, high) = (start, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low].number == number ? low : nil
  }
}
