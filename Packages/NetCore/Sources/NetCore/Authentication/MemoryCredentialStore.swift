import Synchronization

/// Keeps credentials in memory, as long as the process or the store lives.
public final class MemoryCredentialStore: CredentialStore {
  private let credentials: Mutex<BearerCredentials?>
  private let lock = AsyncLock()

  /// A store with the given credentials. Default: none.
  public init(_ credentials: BearerCredentials? = nil) {
    self.credentials = Mutex(credentials)
  }

  /// What is stored; `nil` for nothing.
  public func load() -> BearerCredentials? {
    credentials.withLock { $0 }
  }

  /// Lets `change` change what is stored while no other task does.
  public func update<Result: Sendable>(
    _ change: @Sendable (inout BearerCredentials?) async throws -> Result
  ) async throws -> Result {
    try await lock.withLock {
      var changed = load()
      let result = try await change(&changed)
      credentials.withLock { $0 = changed }
      return result
    }
  }
}
