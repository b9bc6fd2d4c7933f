import Foundation
import NetTesting
import Synchronization
import TestSupport
import Testing

@testable import NetCore

private let home = "https://example.com/"

/// A store whose loads and saves a test decides about.
private final class FakeStore: CookieStore {
  private struct State {
    var cookies: [Cookie] = []
    var loads = 0
    var saves = 0
    var failure: APIError?
  }

  private let state = Mutex(State())
  private let gate: Promise<Void>?

  init(_ cookies: [Cookie] = [], gate: Promise<Void>? = nil) {
    self.gate = gate
    state.withLock { $0.cookies = cookies }
  }

  var names: [String] { state.withLock { $0.cookies.map(\.name) } }
  var loads: Int { state.withLock { $0.loads } }
  var saves: Int { state.withLock { $0.saves } }

  func fail(_ error: APIError?) {
    state.withLock { $0.failure = error }
  }

  func load() async throws -> [Cookie] {
    state.withLock { $0.loads += 1 }
    try await gate?.value()
    return try state.withLock { state in
      if let failure = state.failure { throw failure }
      return state.cookies
    }
  }

  func save(_ cookies: [Cookie]) async throws {
    try state.withLock { state in
      state.saves += 1
      if let failure = state.failure { throw failure }
      state.cookies = cookies
    }
  }
}

@Suite(.timeLimit(.minutes(1))) struct CookieStoreTests {
  private let clock = TestClock()
  private let sink = MemorySink()

  private func jar(_ store: any CookieStore) -> CookieJar {
    CookieJar(store: store, timeSource: clock.timeSource, log: sink)
  }

  private func cookie(_ field: String) throws -> Cookie {
    try #require(try Cookie(field, from: home))
  }

  // MARK: When

  @Test func `cookies that outlive the jar are saved a second after they changed, once for many`() async throws {
    let store = FakeStore()
    let jar = jar(store)
    for number in 1...20 { await jar.set("a=\(number); Max-Age=60", from: home) }
    try await clock.waitForSleeper(until: .seconds(1))
    #expect(store.saves == 0)
    clock.advance(by: .seconds(1))
    try await waitUntil { store.saves > 0 }
    #expect(store.names == ["a"])
    #expect(store.saves == 1)
  }

  @Test func `what ends with the jar is not saved`() async throws {
    let store = FakeStore()
    let jar = jar(store)
    await jar.set("session=1", from: home)
    try await jar.save()
    #expect(store.saves == 0)
    await jar.set("session=2", "kept=1; Max-Age=60", from: home)
    try await jar.save()
    #expect(store.names == ["kept"])
    // Without a change there is nothing to save.
    try await jar.save()
    #expect(store.saves == 1)
    await jar.set("kept=1; Max-Age=0", from: home)
    try await jar.save()
    #expect(store.names == [])
  }

  @Test func `removing is saved before it returns`() async throws {
    let store = FakeStore()
    let jar = jar(store)
    await jar.set("a=1; Max-Age=60", "b=1; Max-Age=60", from: home)
    try await jar.save()
    try await jar.remove(try #require(await jar.all.first))
    #expect(store.names == ["b"])
    try await jar.removeAll()
    #expect(store.names == [])
  }

  @Test func `many that need the jar at once load it once`() async throws {
    let gate = Promise<Void>()
    let store = FakeStore([try cookie("a=1; Max-Age=60")], gate: gate)
    let jar = jar(store)
    let names = (1...20).map { _ in Task { await jar.all.map(\.name) } }
    try await waitUntil { store.loads > 0 }
    gate.fulfill(.success(()))
    for task in names { #expect(await task.value == ["a"]) }
    #expect(store.loads == 1)
  }

  @Test func `a call that waits for the store can be cancelled, and the next one finds it loaded`() async throws {
    let gate = Promise<Void>()
    let store = FakeStore([try cookie("a=1; Max-Age=60")], gate: gate)
    let jar = jar(store)
    let transport = ClosureTransport { .text($0.fields[.cookie] ?? "none") }
    let client = makeClient(transport, baseURL: URL(string: home)!) { $0.cookies = jar }
    let waiting = Task { try await client.send(Endpoint<String>(path: "")) }
    try await waitUntil { store.loads > 0 }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    gate.fulfill(.success(()))
    #expect(try await client.send(Endpoint<String>(path: "")) == "a=1")
    #expect(store.loads == 1)
  }

  @Test func `what is stored is not replaced before it has been loaded`() async throws {
    let gate = Promise<Void>()
    let store = FakeStore([try cookie("a=1; Max-Age=60"), try cookie("b=1; Max-Age=60")], gate: gate)
    let jar = jar(store)
    let impatient = Task { await jar.set("b=2; Max-Age=60", "c=2; Max-Age=60", from: home) }
    impatient.cancel()
    await impatient.value
    async let saved: Void = jar.save()
    try await waitUntil { store.loads > 0 }
    #expect(store.saves == 0)
    gate.fulfill(.success(()))
    try await saved
    #expect(store.names.sorted() == ["a", "b", "c"])
    #expect(await jar.all.filter { $0.name == "b" }.map(\.value) == ["2"])
  }

  @Test func `a store that fails is said once, and the jar goes on`() async throws {
    let store = FakeStore()
    store.fail(.invalidRequest("The disk is full."))
    let jar = jar(store)
    #expect(await jar.all.isEmpty)
    for round in 1...3 {
      await jar.set("a=\(round); Max-Age=60", from: home)
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1))
      try await waitUntil { store.saves >= round }
    }
    try await waitUntil { sink.messages.count >= 2 }
    #expect(
      sink.messages == [
        "Stored cookies could not be loaded: The disk is full.", "Cookies could not be saved: The disk is full.",
      ])
    #expect(try await jar.sent(to: home) == "a=3")
    await #expect(throws: APIError.invalidRequest) { try await jar.save() }
    store.fail(nil)
    try await jar.save()
    #expect(store.names == ["a"])
  }

  // MARK: What

  @Test func `what a jar could not have been given is not taken from a store either`() async throws {
    let stored = [
      try cookie("good=1; Max-Age=60"), try cookie("session=1"), try cookie("over=1; Max-Age=0"),
      try #require(
        try Cookie("suffix=1; Max-Age=60; Domain=co.uk", from: "https://a.co.uk/", publicSuffixes: .init { _ in false })
      ),
    ]
    #expect(try await restored(stored) == ["good"])
  }

  /// Changes to the JSON of a good cookie that make it one that no server could have set.
  @Test(arguments: [
    #""value":"1""#: #""value":"1\r\nX: y""#, #""name":"a""#: #""name":"a; b""#,
    #""domain":"example.com""#: #""domain":"""#,
    #""path":"\/""#: #""path":"x""#, #""isSecure":false"#: #""isSecure":false,"sameSite":"none""#,
    #""isLatin1":false"#: #""isLatin1":true"#,
  ])
  func `a cookie that was tampered with is left out`(original: String, change: String) async throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode([try cookie("a=1; Max-Age=60")]), as: UTF8.self)
    #expect(text.contains(original))
    let changed = text.replacingOccurrences(of: original, with: change)
    #expect(try await restored(JSONDecoder().decode([Cookie].self, from: Data(changed.utf8))) == [])
  }

  @Test func `a store with more than the jar has room for fills it, in time`() async throws {
    let cookie = try cookie("a=1; Max-Age=60")
    #expect(try await restored(Array(repeating: cookie, count: 100_000)) == ["a"])
  }

  private func restored(_ cookies: [Cookie]) async throws -> [String] {
    await jar(FakeStore(cookies)).all.map(\.name)
  }

  // MARK: The file

  @Test func `a file brings back what was saved, for its owner only`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "inner/cookies.json")
    let first = jar(FileCookieStore(file: file))
    await first.set(
      "a=1; Max-Age=60; Secure; HttpOnly; SameSite=Lax; Path=/x", "b=é; Max-Age=90; Domain=example.com", "c=3",
      "=v; Max-Age=9",
      from: "https://www.example.com/")
    await first.setCookies(
      from: HTTPFields([
        try #require(HTTPField(name: .setCookie, bytes: Array("l=".utf8) + [0xE9] + Array("; Max-Age=60".utf8)))
      ]),
      for: try #require(URL(string: home)))
    try await first.save()
    let second = jar(FileCookieStore(file: file))
    let kept = await first.all.filter { $0.expiry != nil }
    #expect(kept.count == 4)
    #expect(await second.all == kept)
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("inner")) == ["cookies.json"])
  }

  @Test(arguments: ["", "{", "{}", #"[{"name": 1}]"#, "\u{0}", "[[[["])
  func `a file that cannot be understood is set aside and said once`(content: String) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(content, to: "cookies.json")
    let jar = jar(FileCookieStore(file: URL(filePath: path)))
    #expect(await jar.all.isEmpty)
    await jar.set("a=1; Max-Age=60", from: home)
    try await jar.save()
    #expect(
      sink.messages == [
        "Stored cookies could not be loaded: \(path) is no file of cookies. It is now called \(path).broken."
      ])
    #expect(try String(contentsOfFile: path + ".broken", encoding: .utf8) == content)
    #expect(try await FileCookieStore(file: URL(filePath: path)).load().map(\.name) == ["a"])
  }

  @Test func `a file that is too large is set aside unread`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "cookies.json")
    truncate(path, off_t(FileCookieStore.maximumSize + 1))
    #expect(await jar(FileCookieStore(file: URL(filePath: path))).all.isEmpty)
    #expect(sink.text.contains("has more than"))
    #expect(FileManager.default.fileExists(atPath: path + ".broken"))
  }

  @Test func `what cannot be read stays where it is`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("cookies")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    #expect(await jar(FileCookieStore(file: URL(filePath: path))).all.isEmpty)
    #expect(sink.messages.count == 1 && sink.text.contains("could not be loaded: Could not read the file"))
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(!FileManager.default.fileExists(atPath: path + ".broken"))
  }

  @Test func `a path that is no place for a file is said`() async throws {
    let folder = try TemporaryFolder()
    let file = URL(filePath: try folder.write("", to: "file")).appending(path: "cookies.json")
    let jar = jar(FileCookieStore(file: file))
    await jar.set("a=1; Max-Age=60", from: home)
    let error = try await apiError { try await jar.save() }
    #expect(error.reason.contains(file.path))
    #expect(try await jar.sent(to: home) == "a=1")
  }
}
