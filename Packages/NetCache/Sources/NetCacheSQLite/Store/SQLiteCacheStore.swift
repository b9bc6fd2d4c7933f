public import NetCache
public import NetCore
@_spi(NetKits) import NetSQLite
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keeps responses in a folder, in a database of the system's SQLite, from run to run. Several processes may share it.
///
///     configuration.cache = HTTPCache(store: SQLiteCacheStore(folder: cachesFolder.appending(path: "MyApp")))
///
/// What was acknowledged survives the end of the process at any moment; what was not is not seen. A power cut may take the
/// last responses, and leaves those before. Bodies are written and read in pieces and never held in memory as a whole, but for
/// those of a few kilobytes.
///
/// The database is opened when it is needed first. When that fails, as in a folder that cannot be written, all functions
/// throw, so that a cache goes on without it; it is tried again every ten seconds. A database that is damaged is set aside as
/// `cache.sqlite.corrupt-1`, which the log is told, and a new one begins; while other processes have the damaged one open,
/// this one goes on without.
public final class SQLiteCacheStore: CacheStore {
  /// How much is kept.
  public let limits: CacheLimits
  private let files: DatabaseFiles
  private let log: any LogSink
  /// The threads on which may be waited for the disk and for other processes.
  private let writing = WorkQueue("NetCacheSQLite.writing")
  private let reading = WorkQueue("NetCacheSQLite.reading")
  private let state = Mutex(State.closed)
  /// How many removals were asked for and are not done yet.
  private let removals = Atomic(0)

  private enum State {
    case closed
    case open(Database)
    /// Could not be opened, and why; the damage if it was found to have one.
    case failed(SQLiteError, since: ContinuousClock.Instant, damage: SQLiteError?)
  }

  private static let pauseAfterFailure = Duration.seconds(10)

  /// A store in a folder, which is opened when it is needed first.
  ///
  /// - Parameters:
  ///   - folder: Where the files are, the cache's alone; made for its owner alone when it is missing. On a disk of this
  ///     machine: SQLite's log cannot be shared over a network.
  ///   - limits: How much is kept. Default: 256 MB and 100,000 responses, of which none has more than 32 MB. The files are
  ///     somewhat larger.
  ///   - log: Is told in a line when a damaged database is set aside.
  public init(
    folder: String, limits: CacheLimits = CacheLimits(bytes: 256_000_000, entries: 100_000),
    log: any LogSink = HTTPLog.defaultSink
  ) {
    files = DatabaseFiles(folder: folder, name: "cache")
    self.limits = limits
    self.log = log
  }

  /// The same for a folder that is known by its file URL, such as one that `FileManager` has found.
  public convenience init(
    folder: URL, limits: CacheLimits = CacheLimits(bytes: 256_000_000, entries: 100_000),
    log: any LogSink = HTTPLog.defaultSink
  ) {
    self.init(folder: folder.path, limits: limits, log: log)
  }

  deinit {
    // Closed on its own thread, since that may wait for the disk.
    if case .open(let database) = state.withLock(\.self) {
      writing.post { try? database.write { writer throws(SQLiteError) in try writer.flushUses() } }
    }
  }

  /// ``/NetCache/CacheLimits/bodySize``.
  public var maximumBodySize: Int64 { limits.bodySize }

  /// All variants stored for `key`, with bodies that are small.
  public func responses(for key: CacheKey) async throws -> [StoredResponse] {
    try await look { database, reader throws(SQLiteError) in
      var isFull = false
      let found = try reader.responses(for: key) { isFull = database.uses.note($0) }
      if isFull { self.flushUses() }
      return found
    }
  }

  /// The body of `response`, which is read a piece at a time; `nil` when it is no longer stored.
  public func body(of response: StoredResponse) async throws -> HTTPResponse.Body? {
    if let body = response.body { return HTTPResponse.Body(body) }
    guard let first = try await chunk(0, of: response.id) else { return nil }
    return HTTPResponse.Body(length: response.length, source: StoredBody(of: response, startingWith: first, in: self))
  }

  /// Stores a response whose body is on its way, in pieces.
  public func writer(for head: StoredHead, length: Int64?) async throws -> any CacheWriter {
    // Opened now, so that a store that cannot be used takes no body.
    _ = try await database()
    return StoringWriter(head, in: self)
  }

  /// Stores a response.
  public func insert(_ head: StoredHead, body: Data) async throws {
    guard body.count <= limits.bodySize else { return }
    try await write { writer throws(SQLiteError) in try writer.insert(head, body: body) }
  }

  /// Replaces the head of the response called `id`.
  public func update(_ id: StoredResponse.ID, to head: StoredHead) async throws {
    try await write { writer throws(SQLiteError) in try writer.update(id, to: head) }
  }

  /// Removes what `selection` names. After ``/NetCache/CacheSelection/all`` the files are small again.
  public func remove(_ selection: CacheSelection) async throws {
    removals.add(1, ordering: .sequentiallyConsistent)
    // Also for a task that was cancelled: what must go is not used again because somebody no longer waits for that.
    try await writing.run(isDue: true) { [self] in
      defer { removals.subtract(1, ordering: .sequentiallyConsistent) }
      try use(openNow()) { database in
        try database.write { writer throws(SQLiteError) in
          try writer.remove(selection)
          if selection == .all { writer.shrink() }
        }
      }
    }
  }

  /// How much is stored.
  public func info() async throws -> CacheInfo {
    try await look { _, reader throws(SQLiteError) in try reader.info() }
  }

  /// Closes the files, after what is under way. The next call opens them again.
  ///
  /// An app does it before the system suspends it, since it may not hold locks then. It is no harm to leave it out at the end
  /// of a process.
  public func close() async throws {
    try await writing.run { [self] in
      guard case .open(let database) = state.withLock(\.self) else { return }
      state.withLock { $0 = .closed }
      try use(database) { try $0.write { writer throws(SQLiteError) in try writer.flushUses() } }
    }
  }
}

// MARK: Using the database

extension SQLiteCacheStore {
  /// Changes something, on the writing thread.
  func write<Result: Sendable>(
    _ change: @escaping @Sendable (Writer) throws(SQLiteError) -> Result
  ) async throws -> Result {
    try await writing.run { [self] in try use(openNow()) { try $0.write(change) } }
  }

  /// Changes something sooner or later, if the database is open.
  func postWrite(_ change: @escaping @Sendable (Writer) throws(SQLiteError) -> Void) {
    writing.post { [self] in
      guard case .open(let database) = state.withLock(\.self) else { return }
      try? use(database) { try $0.write(change) }
    }
  }

  /// A piece of a body, read on the reading thread; `nil` when it is no longer stored.
  func chunk(_ number: Int64, of response: Int64) async throws -> Data? {
    let database = try await database()
    return try await reading.run { [self] in
      try use(database) { try $0.read { reader throws(SQLiteError) in try reader.chunk(number, of: response) } }
    }
  }

  /// Reads something small: here and now if nobody is in the way, which is several times as fast; else on the reading thread.
  private func look<Result: Sendable>(
    _ body: @escaping @Sendable (Database, Reader) throws(SQLiteError) -> Result
  ) async throws -> Result {
    let database = try await database()
    // A removal whose task was cancelled is waited for by nobody else.
    if removals.load(ordering: .sequentiallyConsistent) > 0 { try await writing.run {} }
    let result = try use(database) { database in
      try database.readAtOnce { reader throws(SQLiteError) in try body(database, reader) }
    }
    if let result { return result }
    return try await reading.run { [self] in
      try use(database) { database in
        try database.read { reader throws(SQLiteError) in try body(database, reader) }
      }
    }
  }

  private func flushUses() {
    postWrite { writer throws(SQLiteError) in try writer.flushUses() }
  }

  /// Runs `body`. A database that turns out to be damaged is used no more.
  ///
  /// - Throws: What `body` throws, ``SQLiteCacheError`` for the database's errors.
  private func use<Result>(_ database: Database, _ body: (Database) throws -> Result) throws -> Result {
    do {
      return try body(database)
    } catch let error as SQLiteError {
      if error.isDamage { giveUp(database, error) }
      throw SQLiteCacheError(error)
    }
  }

  private func giveUp(_ database: Database, _ damage: SQLiteError) {
    state.withLock { state in
      guard case .open(let current) = state, current === database else { return }
      // Tried again at once: if nobody else has it open a new one begins.
      state = .failed(damage, since: .now - Self.pauseAfterFailure, damage: damage)
    }
  }

  private func database() async throws -> Database {
    if let database = try openDatabase() { return database }
    return try await writing.run { [self] in try openNow() }
  }

  /// The database if it is open; `nil` when it is to be opened.
  private func openDatabase() throws -> Database? {
    switch state.withLock(\.self) {
    case .open(let database): return database
    case .failed(let error, let time, _) where time.duration(to: .now) < Self.pauseAfterFailure:
      throw SQLiteCacheError(error)
    case .closed, .failed: return nil
    }
  }

  /// The database, which is opened unless it is. On the writing thread.
  private func openNow() throws -> Database {
    if let database = try openDatabase() { return database }
    var damage: SQLiteError?
    if case .failed(_, _, let known) = state.withLock(\.self) { damage = known }
    do {
      let database = try Database(files, limits: limits, damage: damage) { line in
        log.write("The HTTP cache begins anew: " + line, level: .warning)
      }
      state.withLock { $0 = .open(database) }
      return database
    } catch {
      damage = error.isDamage ? error : damage
      state.withLock { [damage] in $0 = .failed(error, since: .now, damage: damage) }
      throw SQLiteCacheError(error)
    }
  }
}
