extension RequestContext {
  /// Has `end` called when the call, or its attempt, is to end: at a limit of time or with its client. It takes the place of
  /// what was to be called before, is called at once when the end has come already, and may be called from any thread. Who
  /// waits for several things at a time says once how to end them all.
  ///
  /// For a transport that says ``HTTPTransport/isInterruptible``: what it waits for then throws `CancellationError`, which
  /// the client replaces by the reason. In any other pipeline `end` is never called; the task is cancelled instead.
  public func onInterruption(_ end: @escaping @Sendable () -> Void) {
    interruption?.onInterruption { _ in end() }
  }

  /// Runs `operation`, which may wait for what knows nothing of the call, so that it ends with the call.
  func interruptible<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard let interruption else { return try await operation() }
    return try await interruption.run(operation)
  }

  /// Whether the call is cancelled, or its time is up.
  var isEnding: Bool { Task.isCancelled || interruption?.reason != nil }
}
