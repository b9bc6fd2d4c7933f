import Synchronization

/// Ends one call, or one attempt of it, from outside: at its limit of time, or with its client.
///
/// Whatever waits on the way says how its wait is ended (``onInterruption(_:)``); one thing waits at a time.
final class Interruption: Sendable {
  private struct State {
    var reason: (any Error)?
    var end: (@Sendable (any Error) -> Void)?
  }

  let number: Int
  let phase: TransportFailure.Phase
  let deadline: Duration?
  let isBackground: Bool
  private let state = Mutex(State())

  init(number: Int, phase: TransportFailure.Phase, deadline: Duration?, isBackground: Bool) {
    self.number = number
    self.phase = phase
    self.deadline = deadline
    self.isBackground = isBackground
  }

  /// Why it was interrupted; `nil` when it was not.
  var reason: (any Error)? {
    state.withLock { $0.reason }
  }

  /// Says how to end what waits from now on, `nil` for nothing; does it at once when the interruption came before.
  func onInterruption(_ end: (@Sendable (any Error) -> Void)?) {
    let (reason, former) = state.withLock { state in
      defer { state.end = end }
      return (state.reason, state.end)
    }
    if let reason { end?(reason) }
    // Let go of outside the lock: what it holds may come back here when it goes.
    _ = consume former
  }

  func interrupt(_ reason: any Error) {
    let end = state.withLock { state in
      if state.reason == nil { state.reason = reason }
      return state.end
    }
    end?(reason)
  }

  /// Runs `operation` in a task of its own, which is cancelled by the interruption and with the caller's task.
  func run<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let task = Task.startedHere(operation)
    onInterruption { _ in task.cancel() }
    defer { onInterruption(nil) }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
