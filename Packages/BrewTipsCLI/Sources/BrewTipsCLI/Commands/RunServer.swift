import BrewTipsBackend

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Runs the server in the foreground, and prints its URL once it takes requests. SIGINT and SIGTERM end it in order.
func runServer(_ settings: Settings) async throws {
  let (ending, continuation) = AsyncStream.makeStream(of: Never.self)
  let termination = Interruption(SIGTERM) { continuation.finish() }
  defer { termination.end() }
  var configuration = backendConfiguration(log: ConsoleLog(showsRequests: true))
  configuration.port = settings.port
  let backend = try await Backend.start(configuration)
  try Console.write(backend.baseURL.absoluteString)
  for await _ in ending {}  // which SIGTERM ends, and SIGINT as well, since it cancels the task
  await backend.stop()
}
