import Synchronization

/// A permission that is given once.
final class OneShot: Sendable {
  private let isTaken = Atomic(false)

  /// Whether this call is the first.
  func take() -> Bool {
    !isTaken.exchange(true, ordering: .acquiringAndReleasing)
  }
}
