/// Decides which of several loads at once counts: the one that began last. An earlier one that ends later is ignored.
struct LoadSequence {
  private var lastBegun = 0
  private var lastSettled = 0
  private var running: Set<Int> = []

  /// Whether a load is under way whose outcome would count.
  var isLoading: Bool {
    running.contains { $0 > lastSettled }
  }

  /// Begins a load; its number is for ``settle(_:)`` or ``abandon(_:)``, one of which must follow.
  mutating func begin() -> Int {
    lastBegun += 1
    running.insert(lastBegun)
    return lastBegun
  }

  /// Ends a load with an outcome, and says whether that counts.
  mutating func settle(_ load: Int) -> Bool {
    running.remove(load)
    guard load > lastSettled else { return false }
    lastSettled = load
    return true
  }

  /// Ends a load without an outcome.
  mutating func abandon(_ load: Int) {
    running.remove(load)
  }
}
