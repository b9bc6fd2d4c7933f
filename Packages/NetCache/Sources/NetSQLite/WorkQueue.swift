import Dispatch
import Synchronization

/// A thread for calls that block, one after the other.
@_spi(NetKits) public final class WorkQueue: Sendable {
  private let queue: DispatchQueue

  /// A thread whose queue has a name, for debuggers.
  public init(_ label: String) {
    queue = DispatchQueue(label: label)
  }

  /// Does `work` on the thread.
  ///
  /// - Parameter isDue: Whether it is done even if nobody waits for it any more.
  /// - Throws: What `work` throws; `CancellationError` as soon as the task is cancelled. Work that has begun then goes on to
  ///   its end, work that has not is done only if it is due.
  public func run<Value: Sendable>(
    isDue: Bool = false, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let ticket = Ticket<Value>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isWanted = ticket.wait(continuation)
        if !isWanted { continuation.resume(throwing: CancellationError()) }
        guard isWanted || isDue else { return }
        queue.async {
          guard isDue || ticket.isWanted else { return }
          ticket.end(Result { try work() })
        }
      }
    } onCancel: {
      ticket.cancel()
    }
  }

  /// Does `work` on the thread, sooner or later.
  public func post(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }
}

/// Somebody who waits for work.
private final class Ticket<Value: Sendable>: Sendable {
  private struct State {
    var waiter: CheckedContinuation<Value, any Error>?
    var isCancelled = false
  }

  private let state = Mutex(State())

  var isWanted: Bool { state.withLock { $0.waiter != nil } }

  /// - Returns: Whether it is worth while.
  func wait(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
    state.withLock { state in
      if !state.isCancelled { state.waiter = continuation }
      return !state.isCancelled
    }
  }

  func end(_ result: Result<Value, any Error>) {
    takeWaiter()?.resume(with: result)
  }

  func cancel() {
    takeWaiter(isCancelled: true)?.resume(throwing: CancellationError())
  }

  private func takeWaiter(isCancelled: Bool = false) -> CheckedContinuation<Value, any Error>? {
    state.withLock { state in
      if isCancelled { state.isCancelled = true }
      defer { state.waiter = nil }
      return state.waiter
    }
  }
}
