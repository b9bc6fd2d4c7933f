/// Keeps credentials from one renewal to the next.
///
/// Ready-made are ``MemoryCredentialStore`` and ``FileCredentialStore``. One over a system's key chain needs no more than
/// to read, to write, and to keep others out in between:
///
///     func update<Result: Sendable>(
///       _ change: @Sendable (inout BearerCredentials?) async throws -> Result
///     ) async throws -> Result {
///       var credentials = try await load()
///       let result = try await change(&credentials)
///       try write(credentials)
///       return result
///     }
public protocol CredentialStore: Sendable {
  /// What is stored; `nil` for nothing.
  func load() async throws -> BearerCredentials?

  /// Reads, lets `change` change it (to `nil` to remove it), and writes, while nobody else does: no other task, and no other
  /// process where several share the store.
  ///
  /// `change` may take as long as a request does. When it throws, nothing is written. Once it has returned, what it left is
  /// written even if the task is cancelled: the server may know no other token any more.
  func update<Result: Sendable>(
    _ change: @Sendable (inout BearerCredentials?) async throws -> Result
  ) async throws -> Result
}
