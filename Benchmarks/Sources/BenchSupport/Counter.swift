import Synchronization

/// Counts from 1, for whoever asks.
public final class Counter: Sendable {
  private let value = Atomic(0)

  /// A counter that has counted nothing.
  public init() {}

  /// The next number.
  public func next() -> Int { value.add(1, ordering: .relaxed).newValue }
}
