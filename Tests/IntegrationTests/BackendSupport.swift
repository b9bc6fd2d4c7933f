import BrewTipsBackend
import Foundation
import NetCore
import NetURLSession
import Synchronization
import Testing

/// A home folder for a test alone.
struct StateHome: Sendable {
  let path: String

  /// Runs `body` with an empty home folder, which is removed afterwards.
  static func with(_ body: (StateHome) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "brewtips-home-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(StateHome(path: folder.path))
  }

  /// What leads the app here.
  var environment: [String: String] {
    ["HOME": path, "XDG_STATE_HOME": path + "/state", "XDG_CACHE_HOME": path + "/cache"]
  }

  /// Where the app keeps its state.
  var folder: String { Backend.stateFolder(environment: environment) }
  var file: String { folder + "/state.json" }

  /// What is in the file now.
  func content() throws -> String {
    try String(contentsOfFile: file, encoding: .utf8)
  }

  /// Puts `content` into the file.
  func write(_ content: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try content.write(toFile: file, atomically: false, encoding: .utf8)
  }
}

/// A log that keeps what it is told.
final class RecordedLog: LogSink {
  private let messages = Mutex<[(text: String, level: LogLevel)]>([])

  func write(_ message: String, level: LogLevel) {
    messages.withLock { $0.append((message, level)) }
  }

  /// The lines of requests.
  var requests: [String] { texts(at: .info) }
  /// What was complained about.
  var warnings: [String] { texts(at: .warning) }

  private func texts(at level: LogLevel) -> [String] {
    messages.withLock { $0.filter { $0.level == level }.map(\.text) }
  }
}

/// Asks a server, and reads the answer as text.
struct Asking: Sendable {
  struct Answer {
    let status: HTTPResponse.Status
    let fields: HTTPFields
    let text: String
  }

  let url: URL
  private let transport = URLSessionTransport()

  init(_ url: URL) {
    self.url = url
  }

  func callAsFunction(
    _ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields = [:], body: String = ""
  ) async throws -> Answer {
    let whole = try #require(URL(string: url.absoluteString + path))
    let request = HTTPRequest(method: method, url: whole, fields: fields, body: HTTPBody(Data(body.utf8)))
    let response = try await transport.send(request, context: RequestContext())
    let bytes = try await response.body.collect(upTo: 1_000_000)
    return Answer(status: response.status, fields: response.fields, text: String(decoding: bytes, as: UTF8.self))
  }

  func addUser(_ name: String, _ email: String = "ada@example.com") async throws -> Answer {
    try await self(
      .post, "/users", [.contentType: "application/json"], body: #"{"name": "\#(name)", "email": "\#(email)"}"#)
  }
}

extension Backend {
  /// Runs `body` against a server with its state in `folder`.
  static func asking(
    folder: String? = nil, port: Int? = nil, log: RecordedLog = RecordedLog(),
    now: @escaping @Sendable () -> Date = { Date() }, _ body: (Asking) async throws -> Void
  ) async throws {
    var configuration = Configuration(stateFolder: folder, log: log)
    configuration.port = port
    configuration.timeSource = TimeSource(ContinuousClock(), now: now)
    try await Backend.with(configuration) { try await body(Asking($0)) }
  }
}
