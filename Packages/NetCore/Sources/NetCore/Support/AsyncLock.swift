import Synchronization

/// Lets one task at a time do something that waits; the others queue, and leave when they are cancelled.
final class AsyncLock: Sendable {
  private struct State {
    var isHeld = false
    var queue: [Promise<Void>] = []
  }

  private let state = Mutex(State())

  /// Runs `body` when no other task does.
  func withLock<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await acquire()
    defer { release() }
    return try await body()
  }

  private func acquire() async throws {
    let turn: Promise<Void>? = state.withLock { state in
      guard state.isHeld else {
        state.isHeld = true
        return nil
      }
      let turn = Promise<Void>()
      state.queue.append(turn)
      return turn
    }
    do {
      try await turn?.value()
    } catch {
      let wasQueued = state.withLock { state in
        let place = state.queue.firstIndex { $0 === turn }
        if let place { state.queue.remove(at: place) }
        return place != nil
      }
      // The turn came while the task was being cancelled: somebody else has it now.
      if !wasQueued { release() }
      throw error
    }
  }

  private func release() {
    let next: Promise<Void>? = state.withLock { state in
      if state.queue.isEmpty {
        state.isHeld = false
        return nil
      }
      return state.queue.removeFirst()
    }
    next?.fulfill(.success(()))
  }
}
