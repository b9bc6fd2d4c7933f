import Synchronization

/// Starts tasks from outside of any task that still have the task-local values of whoever made this.
///
/// So an expectation that fails in a stub's reply belongs to the test, also when it was URLSession that asked for it.
final class StubTasks: Sendable {
  /// A task that was or will be started.
  final class Work: Sendable {
    private let state = Mutex<(task: Task<Void, Never>?, isCancelled: Bool)>((nil, false))

    func cancel() {
      state.withLock { state in
        state.isCancelled = true
        return state.task
      }?.cancel()
    }

    fileprivate func begin(_ operation: @escaping @Sendable () async -> Void) {
      let task = Task { await operation() }
      let isCancelled = state.withLock { state in
        state.task = task
        return state.isCancelled
      }
      if isCancelled { task.cancel() }
    }
  }

  private let starts: AsyncStream<@Sendable () -> Void>.Continuation
  private let state = Mutex<(running: [ObjectIdentifier: Work], isClosed: Bool)>(([:], false))

  init() {
    let (stream, continuation) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
    starts = continuation
    Task { for await start in stream { start() } }
  }

  deinit {
    starts.finish()
  }

  /// Starts a task; a cancelled one after ``close()``.
  @discardableResult
  func start(_ operation: @escaping @Sendable () async -> Void) -> Work {
    let work = Work()
    let isClosed = state.withLock { state in
      state.running[ObjectIdentifier(work)] = work
      return state.isClosed
    }
    if isClosed { work.cancel() }
    starts.yield { [self] in
      work.begin {
        await operation()
        self.remove(work)
      }
    }
    return work
  }

  /// Cancels every task that has not ended, and those that are yet to start.
  func close() {
    let running = state.withLock { state in
      state.isClosed = true
      return Array(state.running.values)
    }
    for work in running { work.cancel() }
  }

  private func remove(_ work: Work) {
    state.withLock { $0.running[ObjectIdentifier(work)] = nil }
  }
}
