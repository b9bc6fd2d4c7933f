import Foundation
import NetCore
import NetTesting
import Synchronization
import Testing

let exampleURL = URL(string: "https://api.example.com/v1")!

struct Widget: Codable, Equatable {
  var id: Int
  var name: String
}

/// A client over `transport` with everything at its default but what `configure` changes, and time that stands still.
func makeClient(
  _ transport: any HTTPTransport, baseURL: URL = exampleURL,
  _ configure: (inout HTTPClient.Configuration) -> Void = { _ in }
) -> HTTPClient {
  var configuration = HTTPClient.Configuration(baseURL: baseURL)
  configuration.timeSource = TestClock().timeSource
  configure(&configuration)
  return HTTPClient(configuration, transport: transport)
}

/// A transport that gives every request the same answer.
func answering(_ response: HTTPResponse) -> ClosureTransport {
  ClosureTransport { _ in response }
}

/// The error that `operation` throws; fails the test when it throws none, or one that is no `APIError`.
func apiError(
  sourceLocation: SourceLocation = #_sourceLocation, _ operation: () async throws -> some Any
) async throws -> APIError {
  do {
    _ = try await operation()
  } catch {
    return try #require(error as? APIError, "\(error)", sourceLocation: sourceLocation)
  }
  Issue.record("nothing was thrown", sourceLocation: sourceLocation)
  throw CancellationError()
}

/// Keeps what is written to it.
final class MemorySink: LogSink {
  private let written = Mutex<[(LogLevel, String)]>([])

  var messages: [String] { written.withLock { $0.map(\.1) } }
  var levels: [LogLevel] { written.withLock { $0.map(\.0) } }
  var text: String { messages.joined(separator: "\n") }

  func write(_ message: String, level: LogLevel) {
    written.withLock { $0.append((level, message)) }
  }
}
