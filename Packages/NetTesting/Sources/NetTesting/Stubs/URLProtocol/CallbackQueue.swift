import Foundation

#if canImport(FoundationNetworking)
import Dispatch
import FoundationNetworking
#endif

/// Where a session wants to be called back about a task: made in `startLoading`, used until the task has ended.
struct CallbackQueue: Sendable {
  #if canImport(Darwin)
  // Not built by this project's CI, which runs on Linux.
  // A run loop's functions may be called from any thread.
  private nonisolated(unsafe) let runLoop = CFRunLoopGetCurrent()!

  init?(of task: URLSessionTask) {}

  func async(_ work: @escaping @Sendable () -> Void) {
    CFRunLoopPerformBlock(runLoop, CFRunLoopMode.commonModes.rawValue, work)
    CFRunLoopWakeUp(runLoop)
  }
  #else
  private let queue: DispatchQueue

  /// The task's own work queue, which is serial with that of its session: from any other, callbacks end the process.
  init?(of task: URLSessionTask) {
    guard let queue = CorelibsReflection.workQueue(of: task) else { return nil }
    self.queue = queue
  }

  func async(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }
  #endif
}
