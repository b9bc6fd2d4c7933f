extension Task where Failure == any Error {
  /// A task that runs on the caller's thread until it waits for the first time, where the system can do that: nobody has to
  /// wake another thread for it.
  static func startedHere(_ operation: @escaping @Sendable () async throws -> Success) -> Task {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      .immediate { try await operation() }
    } else {
      Task { try await operation() }
    }
  }
}
