/// Waits until the task is cancelled: what a server does that never answers.
///
/// - Throws: `CancellationError`, always.
public func waitUntilCancelled() async throws -> Never {
  let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
  for await _ in stream {}
  withExtendedLifetime(continuation) {}
  throw CancellationError()
}
