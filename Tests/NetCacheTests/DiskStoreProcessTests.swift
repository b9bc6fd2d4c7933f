import Foundation
import NetCache
import NetCacheSQLite
import NetCore
import TestSupport
import Testing

@testable import CacheProcess

/// The disk store between processes, and when they end without a word. They are hundreds, which a busy machine takes its time
/// to start.
@Suite(.timeLimit(.minutes(3))) struct DiskStoreProcessTests {
  @Test func `200 kills at random moments lose nothing that was stored, and leave no torn body`() async throws {
    let disk = try Disk()
    let watched = SQLiteCacheStore(folder: disk.folder, limits: CacheProcess.roomy)
    let watcher = Task { await watch(watched) }
    defer { watcher.cancel() }
    let stored = try await withThrowingTaskGroup { group in
      for lane in 0..<8 { group.addTask { try await killWriters(25, of: "lane\(lane)", on: disk) } }
      return try await group.reduce(into: [String: Int]()) { $0.merge($1) { $1 } }
    }
    watcher.cancel()
    #expect(await watcher.value > 0)
    // Whoever opens the database next is alone with it, and clears up what the writers left.
    try await watched.close()
    #expect(stored.count > 20)
    let store = SQLiteCacheStore(folder: disk.folder, limits: CacheProcess.roomy)
    for (url, generation) in stored {
      let content = try #require(Content(try await store.only(url).1), "a torn body of \(url)")
      // What was stored last, or what was stored and not yet told.
      #expect(content.url == url && content.generation >= generation)
    }
    try await store.close()
    try await disk.check()
  }

  @Test func `8 processes share a store`() async throws {
    let disk = try Disk()
    let read = try await withThrowingTaskGroup { group in
      for number in 0..<8 {
        group.addTask {
          let outcome = try await ChildProcess.run(disk.command("share", "\(number)", number: number))
          #expect(outcome.status == 0, "\(outcome.errors)")
          return outcome.text.split(separator: " ").last.flatMap { Int($0.dropLast()) } ?? 0
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(read > 200)
    let info = try await SQLiteCacheStore(folder: disk.folder, limits: CacheProcess.narrow).info()
    #expect(info.entries <= 40 && info.bytes <= 5_000_000)
    try await disk.check()
  }

  /// Where a process cannot write, and what it may not write.
  enum Trouble: CaseIterable, CustomTestStringConvertible {
    case full, almostNoRoom, readOnly, noFolder

    var testDescription: String { "\(self)" }
  }

  @Test(arguments: Trouble.allCases)
  func `calls succeed without the cache where it cannot be used, and it is said once`(trouble: Trouble) async throws {
    let disk = try Disk()
    var (mostBytes, user) = (0, 0)
    switch trouble {
    case .full: mostBytes = 400_000
    case .almostNoRoom: mostBytes = 5_000
    case .readOnly:
      let store = SQLiteCacheStore(folder: disk.folder)
      try await store.insert(head("https://a/1"), body: Data())
      try await store.close()
      chmod(disk.folder, 0o500)
      // Root may do everything.
      if geteuid() == 0 { user = 65_534 }
    case .noFolder: try Data().write(to: URL(filePath: disk.folder))
    }
    let command = disk.command("call", "\(mostBytes)", number: user)
    let outcome = try await ChildProcess.run(command)
    let lines = outcome.text.split(separator: "\n")
    try #require(lines.count == 2, "\(outcome.text)\(outcome.errors)")
    #expect(lines[0].hasPrefix("The HTTP cache's store failed, and calls go on without it: "))
    #expect(lines[1] == "ok 200")
    chmod(disk.folder, 0o700)
  }
}

extension DiskStoreProcessTests {
  /// Lets one process after the other store, each until it is killed; the last generation of each URL that one has told of.
  private func killWriters(_ count: Int, of name: String, on disk: Disk) async throws -> [String: Int] {
    var stored: [String: Int] = [:]
    for number in 0..<count {
      let child = try ChildProcess(disk.command("write", name, number: number * 1_000_000), output: .lines)
      func note(_ line: String) {
        let words = line.split(separator: " ").compactMap { Int($0) }
        if words.count == 2 { stored[Content(name: name, slot: words[0], generation: 0).url] = words[1] }
      }
      for _ in 0..<Int.random(in: 0...3) {
        let line = try #require(await child.nextLine(), "a writer ended by itself")
        note(line)
      }
      // No wait for anything: what makes the moment a random one.
      try await Task.sleep(for: .microseconds(.random(in: 0...6_000)))
      child.send(SIGKILL)
      #expect(await child.status() == 128 + SIGKILL)
      while let line = await child.nextLine() { note(line) }
    }
    return stored
  }

  /// Reads what the writers store, until it is cancelled; how many bodies it has read.
  private func watch(_ store: SQLiteCacheStore) async -> Int {
    var read = 0
    while !Task.isCancelled {
      let content = Content(name: "lane\(Int.random(in: 0..<8))", slot: .random(in: 0..<7), generation: 0)
      guard let found = try? await store.responses(for: CacheKey(partition: "", url: content.url)).first,
        let bytes = try? await store.content(of: found)
      else { continue }
      #expect(Content(bytes)?.url == content.url)
      read += 1
    }
    return read
  }
}

/// A folder for a store, and programs that use it.
final class Disk: Sendable {
  private let place: TemporaryFolder
  let folder: String

  init() throws {
    place = try TemporaryFolder()
    folder = place.path("cache")
    // So that another user may look into it.
    chmod(place.url.path, 0o755)
  }

  func command(_ mode: String, _ name: String, number: Int) -> [String] {
    [Self.program, mode, folder, name, "\(number)"]
  }

  func path(_ name: String) -> String { folder + "/" + name }

  private static let program = {
    #if canImport(Darwin)
    // Not built by this project's CI, which runs on Linux.
    let bundle = Bundle.allBundles.first { $0.bundleURL.pathExtension == "xctest" } ?? .main
    let products = bundle.bundleURL.deletingLastPathComponent()
    #else
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    #endif
    return products.appending(path: "CacheProcess").path
  }()

  /// Proves by another program's SQLite that the database is sound and counts right, and that nothing is left over.
  func check() async throws {
    let outcome = try await ChildProcess.run(["python3", "-c", Self.script, path("cache.sqlite")])
    #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
  }

  /// What an SQL statement gives, by another program.
  @discardableResult
  func sql(_ statement: String) async throws -> String {
    let script =
      "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); print(c.execute(sys.argv[2]).fetchall()); c.commit()"
    let outcome = try await ChildProcess.run(["python3", "-c", script, path("cache.sqlite"), statement])
    try #require(outcome.status == 0, "\(outcome.errors)")
    return outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static let script = """
    import sqlite3, sys
    database = sqlite3.connect(sys.argv[1])
    def rows(sql): return database.execute(sql).fetchall()
    def expect(name, found, wanted):
        if found != wanted: sys.exit(f"{name}: {found}, not {wanted}")
    expect("integrity", rows("PRAGMA integrity_check"), [("ok",)])
    expect("mode", rows("PRAGMA journal_mode"), [("wal",)])
    expect("counts", rows("SELECT entries, bytes, pending FROM counts"),
        rows("SELECT count(*), ifnull(sum(size), 0), (SELECT ifnull(sum(bytes), 0) FROM writers) FROM responses"))
    expect("writers", rows("SELECT count(*) FROM writers"), [(0,)])
    expect("orphans", rows("SELECT count(*) FROM chunks WHERE response NOT IN (SELECT id FROM responses)"), [(0,)])
    expect("lengths", rows(
        "SELECT id FROM responses WHERE length != ifnull(length(body), "
        "(SELECT sum(length(bytes)) FROM chunks WHERE response = id))"), [])
    expect("uses", rows("SELECT used FROM responses GROUP BY used HAVING count(DISTINCT url || ' ' || partition) > 1"), [])
    """
}
