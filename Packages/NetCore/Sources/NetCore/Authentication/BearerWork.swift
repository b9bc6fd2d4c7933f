import Synchronization

/// How work ended.
enum BearerOutcome: Sendable {
  case loaded(BearerCredentials?)
  case stored
  case storeFailed(any Error)
  case renewed(BearerCredentials)
  /// The user has to sign in again.
  case ended(APIError)
  /// There are no new credentials for now.
  case failed(APIError)

  var result: Result<Void, any Error> {
    switch self {
    case .loaded, .stored, .renewed: .success(())
    case .storeFailed(let error): .failure(error)
    case .ended(let error), .failed(let error): .failure(error)
    }
  }
}

/// A loading, renewal or storing under way, and those who wait for it. It belongs to none of them.
final class BearerWork: Sendable {
  let session: Int
  private let promise = Promise<Void>()
  private let tasks = Mutex<[Task<Void, Never>]>([])

  init(session: Int) {
    self.session = session
  }

  /// Does the work in a task of its own. `atEnd` is told how it ended, or that the time for it has passed.
  func run(
    _ settings: BearerAuthenticator.Settings, on executor: (any TaskExecutor)?,
    _ operation: @escaping @Sendable () async -> BearerOutcome, atEnd: @escaping @Sendable (BearerOutcome) -> Void
  ) {
    let (timeSource, limit) = (settings.timeSource, settings.renewalTimeout)
    let end = timeSource.elapsed + limit
    tasks.withLock { tasks in
      tasks = [
        Task(executorPreference: executor) { atEnd(await operation()) },
        Task(executorPreference: executor) {
          guard (try? await timeSource.sleep(until: end)) != nil else { return }
          atEnd(.failed(.renewalTimedOut(after: limit)))
        },
      ]
    }
  }

  /// Waits for the end, until the caller's task is cancelled.
  func value() async throws {
    try await promise.value()
  }

  /// Ends the work, and all waits.
  func end(_ result: Result<Void, any Error>) {
    for task in tasks.withLock({ $0 }) { task.cancel() }
    promise.fulfill(result)
  }
}

extension APIError {
  fileprivate static func renewalTimedOut(after limit: Duration) -> APIError {
    APIError(
      .transport(.timedOut(.attempt)),
      reason: "The credentials could not be renewed or stored within \(limit.readable).",
      mayHaveReachedServer: false)
  }
}
