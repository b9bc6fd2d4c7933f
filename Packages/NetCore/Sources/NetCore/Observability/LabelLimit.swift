import Synchronization

/// Keeps the values of a label from growing without end: the first so many are kept, any other is `_OTHER`.
final class LabelLimit: Sendable {
  static let other = "_OTHER"

  private let maximum: Int
  private let seen = Mutex<Set<String>>([])

  init(_ maximum: Int) {
    self.maximum = maximum
  }

  /// Whether `value` is one of the first.
  func allows(_ value: String) -> Bool {
    seen.withLock { seen in
      if seen.contains(value) { return true }
      guard seen.count < maximum else { return false }
      seen.insert(value)
      return true
    }
  }
}
