import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The task of an exchange, and the order in which it may be touched.
///
/// On Linux the process ends when a task is cancelled while its end is being reported, or when one that was cancelled gets
/// an answer to a redirect. So a cancellation and the end exclude each other here, and no answer follows a cancellation.
/// What comes too late is not done.
final class TaskGate: Sendable {
  private struct State {
    var task: URLSessionTask?
    var isCancelled = false
  }

  private let state = Mutex(State())
  /// Held while the task is being cancelled, which may take as long as the session is busy, and taken at the end. A
  /// cancellation never waits for the delegate, so the end never waits for ever.
  private let cancellation = Mutex(())

  /// Starts `task`.
  func begin(_ task: URLSessionTask) {
    state.withLock { $0.task = task }
    task.resume()
  }

  /// Cancels the task, if it has not ended.
  func cancel() {
    cancellation.withLock { _ in
      let task = state.withLock { state in
        state.isCancelled = true
        return state.task
      }
      task?.cancel()
    }
  }

  /// Gives an answer that the task waits for, unless it was cancelled or has ended.
  func answer(_ give: () -> Void) {
    state.withLock { state in
      if state.task != nil, !state.isCancelled { give() }
    }
  }

  /// Lets go of the task, before the session sees that its end was reported.
  func end() -> URLSessionTask? {
    cancellation.withLock { _ in
      state.withLock { state in
        defer { state.task = nil }
        return state.task
      }
    }
  }

  #if canImport(Darwin)
  // Not built by this project's CI, which runs on Linux.
  private let isSuspended = Mutex(false)

  /// Stops the task receiving, or lets it go on.
  func setSuspended(_ suspends: Bool) {
    isSuspended.withLock { isSuspended in
      guard suspends != isSuspended, let task = state.withLock({ $0.task }) else { return }
      isSuspended = suspends
      if suspends { task.suspend() } else { task.resume() }
    }
  }
  #endif
}
