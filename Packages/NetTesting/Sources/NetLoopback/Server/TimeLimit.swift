import Synchronization

/// Waits for `operation`, but no longer than `limit`; then it goes on by itself. A cancelled task waits all the same.
func waiting(atMost limit: Duration, for operation: @escaping @Sendable () async -> Void) async {
  await withCheckedContinuation { continuation in
    let waiter = FirstResume(continuation)
    let timer = Task {
      try? await Task.sleep(for: limit)
      waiter.resume()
    }
    Task {
      await operation()
      timer.cancel()
      waiter.resume()
    }
  }
}

/// A continuation that the first of several resumes.
private final class FirstResume: Sendable {
  private let continuation: Mutex<CheckedContinuation<Void, Never>?>

  init(_ continuation: CheckedContinuation<Void, Never>) {
    self.continuation = Mutex(continuation)
  }

  func resume() {
    continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }?.resume()
  }
}
