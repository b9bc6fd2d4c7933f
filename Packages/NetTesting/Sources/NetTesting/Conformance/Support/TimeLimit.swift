import Synchronization

/// Runs `operation`, and gives up on it after `limit`: also when it does not heed its cancellation.
///
/// - Throws: ``WaitLimitReached`` then; what `operation` throws.
func withLimit(
  _ limit: Duration, waitingFor awaited: @escaping @Sendable () -> String,
  operation: @escaping @Sendable () async throws -> Void
) async throws {
  let work = Task { try await operation() }
  let end = FirstResult()
  let timer = Task {
    try await ContinuousClock().sleep(for: limit)
    end.bring(.failure(WaitLimitReached(awaited(), limit: limit)))
    work.cancel()
  }
  Task { end.bring(await work.result) }
  defer { timer.cancel() }
  try await withTaskCancellationHandler {
    try await end.wait()
  } onCancel: {
    work.cancel()
  }
}

/// The first of several results, for one who waits.
private final class FirstResult: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Void, any Error>)
    case brought(Result<Void, any Error>)
  }

  private let state = Mutex(State.open)

  func bring(_ result: Result<Void, any Error>) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      switch state {
      case .brought: return nil
      case .open:
        state = .brought(result)
        return nil
      case .awaited(let waiter):
        state = .brought(result)
        return waiter
      }
    }
    waiter?.resume(with: result)
  }

  func wait() async throws {
    try await withCheckedThrowingContinuation { continuation in
      let result = state.withLock { state -> Result<Void, any Error>? in
        if case .brought(let result) = state { return result }
        state = .awaited(continuation)
        return nil
      }
      if let result { continuation.resume(with: result) }
    }
  }
}
