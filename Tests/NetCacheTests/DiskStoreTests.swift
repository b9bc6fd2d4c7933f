import Foundation
import NetCache
import NetCacheSQLite
import NetCore
import Synchronization
import TestSupport
import Testing

/// What a disk store does beyond what every store does.
@Suite(.timeLimit(.minutes(1))) struct DiskStoreTests {
  private let disk: Disk
  private let log = Lines()

  init() throws {
    disk = try Disk()
  }

  private func open(_ limits: CacheLimits = roomyLimits) -> SQLiteCacheStore {
    SQLiteCacheStore(folder: disk.folder, limits: limits, log: log)
  }

  /// Stores something, and closes.
  private func fill(_ count: Int = 1, size: Int = 10) async throws {
    let store = open()
    for number in 1...count {
      try await store.insert(head("https://a/\(number)"), body: Data(repeating: 7, count: size))
    }
    try await store.close()
  }

  @Test func `what was stored is there after closing, in a database that others can read`() async throws {
    let store = open()
    try await store.insert(head("https://a/small"), body: Data("small".utf8))
    try await store.insert(head("https://a/large"), body: Data(repeating: 7, count: 700_000))
    try await store.close()
    #expect(try await store.only("https://a/small").1 == Data("small".utf8))
    try await store.close()
    let (large, body) = try await open().only("https://a/large")
    #expect(large.body == nil && large.length == 700_000)
    #expect(body == Data(repeating: 7, count: 700_000))
    try await disk.check()
  }

  @Test func `a folder may be named by its URL`() async throws {
    try await fill()
    let folder = URL(filePath: disk.folder, directoryHint: .isDirectory)
    #expect(try await SQLiteCacheStore(folder: folder, limits: roomyLimits, log: log).info().entries == 1)
    let other = SQLiteCacheStore(folder: folder.appending(path: "50% more, ü"), log: log)
    try await other.insert(head("https://a/1"), body: Data())
    #expect(FileManager.default.fileExists(atPath: disk.path("50% more, ü/cache.sqlite")))
  }

  @Test func `its files are its owner's alone, also where they were not`() async throws {
    try await fill()
    for name in ["cache.sqlite", "cache.lock"] { #expect(try permissions(name) == 0o600) }
    #expect(try permissions("") == 0o700)
    chmod(disk.path("cache.sqlite"), 0o644)
    let store = open()
    try await store.insert(head("https://a/1"), body: Data())
    for name in ["cache.sqlite", "cache.sqlite-wal", "cache.sqlite-shm"] { #expect(try permissions(name) == 0o600) }
  }

  private func permissions(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: disk.path(name))[.posixPermissions] as? Int
  }

  @Test func `hits write nothing, until there are many`() async throws {
    let store = open(CacheLimits(bytes: 10_000_000, entries: 1_000))
    for number in 1...400 { try await store.insert(head("https://a/\(number)"), body: Data()) }
    let before = try await disk.sql("SELECT number FROM counts")
    for number in 1...100 { _ = try await store.only("https://a/\(number)") }
    #expect(try await disk.sql("SELECT number FROM counts") == before)
    // What was used within the last eighth is not written down at all.
    for _ in 1...3 { for number in 300...400 { _ = try await store.only("https://a/\(number)") } }
    #expect(try await disk.sql("SELECT number FROM counts") == before)
  }

  @Test func `uses are remembered beyond the process`() async throws {
    let limits = CacheLimits(bytes: 10_000_000, entries: 3)
    let store = open(limits)
    for number in 1...3 { try await store.insert(head("https://a/\(number)"), body: Data()) }
    _ = try await store.only("https://a/1")
    try await store.close()
    try await open(limits).insert(head("https://a/4"), body: Data())
    #expect(try await open().urls("https://a/1", "https://a/2", "https://a/3", "https://a/4").count == 3)
    #expect(try await open().urls("https://a/2").isEmpty)
  }

  @Test func `a body on its way makes room, and is counted only until it is given up`() async throws {
    let store = open(CacheLimits(bytes: 2_000_000, entries: 100, bodySize: 1_500_000))
    for number in 1...3 {
      try await store.insert(head("https://a/\(number)"), body: Data(repeating: 1, count: 500_000))
    }
    let writer = try await store.writer(for: head("https://a/large"), length: nil)
    try await writer.append(Data(repeating: 2, count: 1_400_000))
    #expect(try await store.urls("https://a/1", "https://a/2", "https://a/3") == ["https://a/3"])
    let second = try await store.writer(for: head("https://a/another"), length: nil)
    await #expect(throws: SQLiteCacheError.self) { try await second.append(Data(repeating: 3, count: 1_400_000)) }
    second.abandon()
    writer.abandon()
    try await store.close()
    try await disk.check()
  }

  @Test func `a task that leaves while it writes leaves nothing behind`() async throws {
    let store = open()
    for _ in 1...20 {
      let writer = try await store.writer(for: head("https://a/1"), length: nil)
      let task = Task {
        for _ in 1...10 { try await writer.append(Data(repeating: 1, count: 300_000)) }
        try await writer.commit()
      }
      try await store.insert(head("https://a/2"), body: Data())
      task.cancel()
      _ = try? await task.value
      writer.abandon()
    }
    try await store.close()
    try await disk.check()
  }

  @Test func `clearing makes the files small again`() async throws {
    let store = open()
    for number in 1...20 {
      try await store.insert(head("https://a/\(number)"), body: Data(repeating: 1, count: 300_000))
    }
    try await store.remove(.all)
    let sizes = try ["cache.sqlite", "cache.sqlite-wal"].map {
      try Data(contentsOf: URL(filePath: disk.path($0))).count
    }
    #expect(sizes.reduce(0, +) < 100_000, "\(sizes)")
  }
}

// MARK: Damage

extension DiskStoreTests {
  @Test func `what is no database is set aside with one line, and a new one begins`() async throws {
    try FileManager.default.createDirectory(atPath: disk.folder, withIntermediateDirectories: true)
    let noise = Data("this is no database, whatever it is. ".utf8) + Data(repeating: 0xA5, count: 10_000)
    for number in 1...4 {
      try noise.write(to: URL(filePath: disk.path("cache.sqlite")))
      let store = open()
      try await store.insert(head("https://a/1"), body: Data("new".utf8))
      #expect(try await store.only("https://a/1").1 == Data("new".utf8))
      try await store.close()
      #expect(log.all.count == number)
    }
    for number in 1...3 {
      #expect(try Data(contentsOf: URL(filePath: disk.path("cache.sqlite.corrupt-\(number)"))) == noise)
    }
    #expect(!FileManager.default.fileExists(atPath: disk.path("cache.sqlite.corrupt-4")))
    #expect(log.all[0].hasPrefix("The HTTP cache begins anew: "))
    #expect(log.all[0].contains("corrupt-1"))
    #expect(try permissions("cache.sqlite") == 0o600)
  }

  @Test func `damage that shows while it is used makes a new one begin, and old numbers mean nothing in it`()
    async throws
  {
    try await fill(200, size: 1_500)
    let (old, _) = try await open().only("https://a/200")
    try damage()
    let store = open()
    var failures = 0
    for number in 1...200 {
      do { _ = try await store.responses(for: CacheKey(partition: "", url: "https://a/\(number)")) } catch {
        failures += 1
      }
    }
    #expect(failures > 0)
    #expect(log.all.count == 1)
    try await store.insert(head("https://a/1"), body: Data("new".utf8))
    let (new, _) = try await store.only("https://a/1")
    #expect(new.id > old.id)
    #expect(try await store.body(of: StoredResponse(id: old.id, head: old.head, length: old.length)) == nil)
    try await store.close()
    try await disk.check()
  }

  @Test func `a damaged database that others have open stays, and this one goes on without`() async throws {
    try await fill(200, size: 1_500)
    let other = open()
    _ = try await other.info()
    try damage()
    let store = open()
    await #expect(throws: SQLiteCacheError.self) {
      for number in 1...200 {
        try await store.insert(head("https://b/\(number)"), body: Data(repeating: 1, count: 1_500))
      }
    }
    await #expect(throws: SQLiteCacheError.self) { try await store.insert(head("https://b/1"), body: Data()) }
    #expect(log.all.isEmpty)
  }

  /// Overwrites most of the database, but not its first pages, which are read when it is opened.
  private func damage() throws {
    let file = try FileHandle(forUpdating: URL(filePath: disk.path("cache.sqlite")))
    let size = try file.seekToEnd()
    try file.seek(toOffset: 16 * 4_096)
    try file.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 16 * 4_096))
    try file.close()
  }

  @Test func `a newer version's database is left alone`() async throws {
    try await fill()
    try await disk.sql("PRAGMA user_version = 99")
    let store = open()
    let error = await #expect(throws: SQLiteCacheError.self) {
      try await store.insert(head("https://a/2"), body: Data())
    }
    #expect(error?.description == "the cache was written by a newer version")
    #expect(log.all.isEmpty)
    #expect(try await disk.sql("SELECT count(*) FROM responses") == "[(1,)]")
  }

  @Test func `another program's database is set aside`() async throws {
    try FileManager.default.createDirectory(atPath: disk.folder, withIntermediateDirectories: true)
    try await disk.sql("CREATE TABLE recipes (name TEXT)")
    try await fill()
    #expect(log.all.count == 1)
    #expect(try await open().urls("https://a/1") == ["https://a/1"])
  }
}

/// Keeps what is logged.
private final class Lines: LogSink {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock(\.self) }

  func write(_ message: String, level: LogLevel) {
    lines.withLock { $0.append(message) }
  }
}
