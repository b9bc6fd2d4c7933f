import Synchronization

/// Loads a jar's cookies once, and saves them some time after they changed.
final class CookieArchive: Sendable {
  /// How long changes are gathered before they are saved: some servers change a cookie with each response.
  static let delay = Duration.seconds(1)

  private struct State {
    var loading: Promise<Void>?
    var hasChanges = false
    var isScheduled = false
    var hasFailed = false
  }

  private let store: any CookieStore
  private let timeSource: TimeSource
  private let log: any LogSink
  private let state = Mutex(State())
  private let hasLoaded = Atomic(false)
  private let oneSave = AsyncLock()

  init(store: any CookieStore, timeSource: TimeSource, log: any LogSink) {
    self.store = store
    self.timeSource = timeSource
    self.log = log
  }

  /// Whether the stored cookies were handed over.
  var isLoaded: Bool { hasLoaded.load(ordering: .acquiring) }

  /// Hands the stored cookies to `restore`, the first time; waits until that is done.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  func load(_ restore: @escaping @Sendable ([Cookie]) -> Void) async throws {
    guard !isLoaded else { return }
    let (loading, isFirst) = state.withLock { state in
      if let loading = state.loading { return (loading, false) }
      let loading = Promise<Void>()
      state.loading = loading
      return (loading, true)
    }
    if isFirst {
      // Not of the caller's task: others wait for it too.
      Task {
        do {
          restore(try await store.load())
        } catch {
          log.write("Stored cookies could not be loaded: \(Self.reason(error))", level: .warning)
        }
        hasLoaded.store(true, ordering: .releasing)
        loading.fulfill(.success(()))
      }
    }
    try await loading.value()
  }

  /// Notes that there is something to save.
  func noteChange() {
    state.withLock { $0.hasChanges = true }
  }

  /// Notes that there is something to save, and saves `cookies` soon.
  func noteChange(_ cookies: @escaping @Sendable () -> [Cookie]) {
    let isFirst = state.withLock { state in
      state.hasChanges = true
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    guard isFirst else { return }
    // It holds the jar for that time, so that a jar that is dropped is saved too.
    Task {
      try? await timeSource.sleep(until: timeSource.elapsed + Self.delay)
      state.withLock { $0.isScheduled = false }
      do {
        try await save(cookies)
      } catch {
        reportFailedSave(error)
      }
    }
  }

  /// Saves `cookies` unless nothing has changed since the last time. A save waits for the one before, and until what is
  /// stored has been loaded, which it would replace.
  func save(_ cookies: () -> [Cookie]) async throws {
    try await state.withLock { $0.loading }?.value()
    try await oneSave.withLock {
      let hadChanges = state.withLock { state in
        defer { state.hasChanges = false }
        return state.hasChanges
      }
      guard hadChanges else { return }
      do {
        try await store.save(cookies())
        state.withLock { $0.hasFailed = false }
      } catch {
        noteChange()
        throw error
      }
    }
  }

  /// Says what failed, unless the save before failed too.
  private func reportFailedSave(_ error: any Error) {
    let isFirst = state.withLock { state in
      defer { state.hasFailed = true }
      return !state.hasFailed
    }
    if isFirst { log.write("Cookies could not be saved: \(Self.reason(error))", level: .warning) }
  }

  /// What may be said of an error: a stranger's may have a cookie in it.
  private static func reason(_ error: any Error) -> String {
    (error as? APIError)?.reason ?? "\(type(of: error))"
  }
}
