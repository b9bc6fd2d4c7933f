import Synchronization

/// A result that many may wait for. Each leaves alone when its task is cancelled.
final class Promise<Value: Sendable>: Sendable {
  private struct State {
    var result: Result<Value, any Error>?
    var waiting: [Int: CheckedContinuation<Value, any Error>] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  /// The value; waits for it.
  ///
  /// - Throws: The error the promise ended with; `CancellationError` as soon as the task is cancelled.
  func value() async throws -> Value {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Value, any Error>? = state.withLock { state in
          if Task.isCancelled { return .failure(CancellationError()) }
          if state.result == nil { state.waiting[number] = continuation }
          return state.result
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: CancellationError())
    }
  }

  /// Ends all waits, the longest first. Only the first result counts.
  func fulfill(_ result: Result<Value, any Error>) {
    let waiting = state.withLock { state in
      guard state.result == nil else { return [(key: Int, value: CheckedContinuation<Value, any Error>)]() }
      state.result = result
      defer { state.waiting = [:] }
      return state.waiting.sorted { $0.key < $1.key }
    }
    for (_, continuation) in waiting { continuation.resume(with: result) }
  }
}
