import Foundation
import NetTesting
import Synchronization
import TestSupport

/// Runs the jobs of its tasks one at a time, the next drawn by a seed: the same seed, the same order.
final class SeededExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs one job; `false` when there is none.
  func runOne(_ random: inout SeededGenerator) -> Bool {
    let job: UnownedJob? = jobs.withLock { jobs in
      jobs.isEmpty ? nil : jobs.remove(at: Int.random(in: jobs.indices, using: &random))
    }
    job?.runSynchronously(on: asUnownedTaskExecutor())
    return job != nil
  }
}

/// What `stories` returns, on a thread of its own: it runs jobs one after the other and waits for nothing.
func onThread<Result: Sendable>(_ stories: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: stories()) }
  }
}
