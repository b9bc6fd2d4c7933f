extension RequestContext {
  /// Runs `wait`, and tells the observers how long it took, however it ended.
  func reportingWait(_ timeSource: TimeSource, _ wait: () async throws -> Void) async rethrows {
    let started = timeSource.elapsed
    defer { report(.queued(for: timeSource.elapsed - started)) }
    try await wait()
  }

  /// Runs `body`, whose rejection of this attempt learns how many went before it.
  func rejecting<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch var error as APIError {
      error.attempts = attempt - 1
      throw error
    }
  }
}
