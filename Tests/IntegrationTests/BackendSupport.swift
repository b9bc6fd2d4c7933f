import BrewTipsBackend
import Foundation
import NetCore
import NetURLSession
import Synchronization
import TestSupport
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
  var database: String { folder + "/state.sqlite" }
  /// Where versions before the database kept it.
  var earlierFile: String { folder + "/state.json" }

  /// What is in the folder, by name.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  /// What is in a file of the folder.
  func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
  }

  /// Puts a file into the folder.
  func write(_ content: Data, to path: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try content.write(to: URL(filePath: path))
  }

  /// Puts `content` where an earlier version had it.
  func writeEarlier(_ content: String) throws {
    try write(Data(content.utf8), to: earlierFile)
  }

  /// What SQL statements give in the database, the last of them as a list of rows, by another program.
  @discardableResult
  func sql(_ statements: String...) async throws -> String {
    let script = """
      import json, sqlite3, sys
      database = sqlite3.connect(sys.argv[1])
      for statement in sys.argv[2:]: rows = database.execute(statement).fetchall()
      database.commit()
      print(json.dumps(rows, ensure_ascii=False))
      """
    let outcome = try await ChildProcess.run(["python3", "-c", script, database] + statements)
    struct Refused: Error { let reason: String }
    guard outcome.status == 0 else { throw Refused(reason: outcome.errors) }
    return outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Runs `body` while another program is in a transaction that `beginning` begins.
  func whileLocked(_ beginning: String, _ body: () async throws -> Void) async throws {
    let script = """
      import sqlite3, sys, time
      database = sqlite3.connect(sys.argv[1], isolation_level=None)
      database.execute(sys.argv[2])
      print("locked", flush=True)
      time.sleep(60)
      """
    let child = try ChildProcess(["python3", "-c", script, database, beginning], output: .lines)
    #expect(await child.nextLine() == "locked")
    try await body()
    child.send(SIGKILL)
    _ = await child.status()
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
