import Foundation
import NetTesting
import Synchronization
import Testing

@testable import NetCore

@Suite(.timeLimit(.minutes(1))) struct AuthenticationStoreTests {
  /// A file in a folder of its own, which does not exist yet.
  private final class Place: Sendable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "credentials-\(UUID())")
    var file: URL { folder.appending(path: "inner/credentials.json") }

    deinit {
      try? FileManager.default.removeItem(at: folder)
    }

    func mode(_ path: String) throws -> Int? {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: path).path)
      return attributes[.posixPermissions] as? Int
    }
  }

  private let place = Place()
  private let clock = TestClock()
  private let ann = BearerCredentials(
    accessToken: "a", refreshToken: "r", expiry: Date(timeIntervalSince1970: 1_800_000_000), account: "ann")

  private var store: FileCredentialStore { FileCredentialStore(file: place.file, timeSource: clock.timeSource) }

  @Test func `what was stored is there again, for its owner only`() async throws {
    #expect(try await store.load() == nil)
    try await store.update { $0 = ann }
    #expect(try await store.load() == ann)
    #expect(try place.mode("inner/credentials.json") == 0o600)
    #expect(try place.mode("inner/credentials.json.lock") == 0o600)
    #expect(try place.mode("inner") == 0o700)
    #expect(try place.mode("") == 0o700)
    let names = try FileManager.default.contentsOfDirectory(atPath: place.file.deletingLastPathComponent().path)
    #expect(names.sorted() == ["credentials.json", "credentials.json.lock"])
    try await store.update { $0 = nil }
    #expect(try await store.load() == nil)
  }

  @Test func `a file others could read is replaced by one they cannot`() async throws {
    try await store.update { $0 = ann }
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: place.file.path)
    try await store.update { $0?.accessToken = "b" }
    #expect(try place.mode("inner/credentials.json") == 0o600)
  }

  @Test(arguments: ["", "{", "[]", #"{"accessToken": 1}"#, "\u{0}"])
  func `a file that cannot be understood counts as empty, and can be replaced`(content: String) async throws {
    try await store.update { $0 = ann }
    try Data(content.utf8).write(to: place.file)
    #expect(try await store.load() == nil)
    try await store.update { $0 = ann }
    #expect(try await store.load() == ann)
  }

  @Test func `a change that throws changes nothing`() async throws {
    try await store.update { $0 = ann }
    await #expect(throws: APIError.notFound) {
      try await store.update { (stored: inout BearerCredentials?) -> Void in
        stored = nil
        throw APIError.notFound
      }
    }
    #expect(try await store.load() == ann)
  }

  @Test func `a path that is no place for a file is an error that names it`() async throws {
    try Data().write(to: place.folder)
    let error = try await apiError { try await store.update { $0 = ann } }
    #expect(error == .invalidRequest)
    #expect(error.reason.contains(place.file.path))
  }

  @Test(arguments: [true, false])
  func `20 changes at the same time are made one after the other`(isFile: Bool) async throws {
    let store: any CredentialStore =
      isFile ? FileCredentialStore(file: place.file) : MemoryCredentialStore()
    let inside = OneAtATime()
    try await store.update { $0 = BearerCredentials(accessToken: "0") }
    let changes = (1...20).map { _ in
      Task {
        try await store.update { stored in
          #expect(inside.enter())
          await Task.yield()
          let number = stored.flatMap { Int($0.accessToken) } ?? -1
          stored?.accessToken = "\(number + 1)"
          inside.leave()
        }
      }
    }
    for change in changes { try await change.value }
    #expect(try await store.load()?.accessToken == "20")
  }

  @Test(arguments: [true, false])
  func `who waits for the store can be cancelled, and holds up nobody`(isFile: Bool) async throws {
    let store: any CredentialStore = isFile ? store : MemoryCredentialStore()
    let (hasLock, gate) = (Promise<Void>(), Promise<Void>())
    async let holder: Void = store.update { _ in
      hasLock.fulfill(.success(()))
      try await gate.value()
    }
    try await hasLock.value()
    let waiting = Task { try await store.update { $0 = nil } }
    if isFile { try await clock.waitForSleepers(1) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    gate.fulfill(.success(()))
    try await holder
    try await store.update { $0 = nil }
  }

  @Test func `the wait for a lock has a limit`() async throws {
    let (hasLock, gate) = (Promise<Void>(), Promise<Void>())
    async let holder: Void = store.update { _ in
      hasLock.fulfill(.success(()))
      try await gate.value()
    }
    try await hasLock.value()
    async let error = apiError { try await store.update { $0 = nil } }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(60))
    #expect(try await error == .timedOut(.idle))
    gate.fulfill(.success(()))
    try await holder
  }

  /// An authenticator as a process of its own would have one.
  private func client(_ server: TokenServer) -> HTTPClient {
    let authenticator = BearerAuthenticator(store: FileCredentialStore(file: place.file), origins: [exampleURL]) {
      try server.refresh($0)
    }
    return makeClient(ClosureTransport { try await server.answer($0) }) { $0.authenticator = authenticator }
  }

  @Test func `ten that share a file renew one rotating credential once, and nobody is signed out`() async throws {
    let server = TokenServer()
    try await FileCredentialStore(file: place.file).update { $0 = server.credentials() }
    server.revoke()
    server.refusals(10)
    try await withThrowingTaskGroup { group in
      for _ in 1...10 {
        let client = client(server)
        group.addTask { try await client.send(Endpoint<String>(path: "a")) }
      }
      for try await answer in group { #expect(answer == "Bearer token-2") }
    }
    #expect(server.refreshes == 1)
    #expect(try await store.load()?.refreshToken == "refresh-2")
  }

  @Test func `who was signed out by another process is, at the next refusal`() async throws {
    let server = TokenServer()
    try await store.update { $0 = server.credentials() }
    let client = client(server)
    _ = try await client.send(Endpoint<String>(path: "a"))
    try await store.update { $0 = nil }
    server.revoke()
    let error = try await apiError { try await client.send(Endpoint<String>(path: "a")) }
    #expect(error == .unauthorized)
    #expect(server.refreshes == 0)
  }
}

private final class OneAtATime: Sendable {
  private let isOccupied = Atomic(false)

  func enter() -> Bool { !isOccupied.exchange(true, ordering: .acquiringAndReleasing) }
  func leave() { isOccupied.store(false, ordering: .releasing) }
}

/// A process of another make that uses the same file and lock.
@Suite(.timeLimit(.minutes(1)), .enabled(if: Python.isInstalled)) struct AuthenticationProcessTests {
  private let file = FileManager.default.temporaryDirectory.appending(path: "credentials-\(UUID()).json")
  private let clock = TestClock()

  private var store: FileCredentialStore { FileCredentialStore(file: file, timeSource: clock.timeSource) }

  private func removeFiles() {
    try? FileManager.default.removeItem(at: file)
    try? FileManager.default.removeItem(atPath: file.path + ".lock")
  }

  @Test func `while another process renews, this one waits, and uses what it got`() async throws {
    defer { removeFiles() }
    let expired = BearerCredentials(
      accessToken: "old", refreshToken: "1", expiry: Date(timeIntervalSince1970: 1), account: "ann")
    try await store.update { $0 = expired }
    let other = try Python(
      """
      import fcntl, json, os, sys
      path = sys.argv[1]
      lock = open(path + ".lock", "a")
      fcntl.flock(lock, fcntl.LOCK_EX)
      print("locked", flush=True)
      sys.stdin.readline()
      credentials = json.load(open(path))
      credentials.update(accessToken="theirs", refreshToken="2", expiry=4000000000)
      with open(path + ".new", "w") as new: json.dump(credentials, new)
      os.replace(path + ".new", path)
      """, file.path)
    #expect(try await other.line() == "locked")
    var settings = BearerAuthenticator.Settings()
    settings.timeSource = clock.timeSource
    let authenticator = BearerAuthenticator(store: store, origins: [exampleURL], settings: settings) { _ in
      Issue.record("The other process had renewed already.")
      throw APIError(.unauthorized, reason: "invalid_grant")
    }
    let client = makeClient(ClosureTransport { .text($0.fields[.authorization] ?? "") }) {
      $0.authenticator = authenticator
      $0.timeSource = clock.timeSource
    }
    async let answer = client.send(Endpoint<String>(path: "a"))
    await clock.sleeper(until: .milliseconds(5))
    try await other.proceed()
    clock.advance(by: .milliseconds(5))
    #expect(try await answer == "Bearer theirs")
  }

  @Test func `while this process renews, another cannot have the lock`() async throws {
    defer { removeFiles() }
    let script = """
      import fcntl, sys
      lock = open(sys.argv[1] + ".lock", "a")
      try: fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB); print("free", flush=True)
      except BlockingIOError: print("busy", flush=True)
      """
    let path = file.path
    let during = try await store.update { _ in
      let other = try Python(script, path)
      let line = try await other.line()
      try await other.proceed()
      return line
    }
    #expect(during == "busy")
    let other = try Python(script, path)
    #expect(try await other.line() == "free")
    try await other.proceed()
  }
}

/// A Python script that runs in a process of its own.
private final class Python: Sendable {
  static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

  private let process: Process
  private let input = Pipe()
  private let output = Pipe()
  private let hasEnded = Promise<Void>()

  init(_ script: String, _ argument: String) throws {
    process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["-c", script, argument]
    process.standardInput = input
    process.standardOutput = output
    process.terminationHandler = { [hasEnded] _ in hasEnded.fulfill(.success(())) }
    try process.run()
  }

  deinit {
    if process.isRunning { process.terminate() }
  }

  /// What it prints, up to the first line's end.
  func line() async throws -> String {
    try await FileIO.perform { [output] in
      var text = ""
      while !text.hasSuffix("\n"), let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
        text += String(decoding: byte, as: UTF8.self)
      }
      return String(text.dropLast())
    }
  }

  /// Lets it go on, and waits for its end.
  func proceed() async throws {
    try input.fileHandleForWriting.close()
    try await hasEnded.value()
  }
}
