import Synchronization

/// Counts across tasks.
final class Counter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  func add(_ number: Int = 1) {
    count.add(number, ordering: .relaxed)
  }
}

/// A moment that one task waits for and another brings.
struct Gate: Sendable {
  private let stream = AsyncStream.makeStream(of: Never.self)

  /// Lets the waiting task go on. Opening it again does nothing.
  func open() {
    stream.continuation.finish()
  }

  /// Waits until the gate is open; returns at once when the task is cancelled. Only one task may wait at a gate.
  func wait() async {
    for await _ in stream.stream {}
  }
}
