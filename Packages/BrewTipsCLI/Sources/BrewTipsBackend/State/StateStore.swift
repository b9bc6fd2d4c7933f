import NetCore
import NetLoopback
@_spi(NetKits) import NetSQLite
import Synchronization

/// The state, in a database that other processes share; in memory once that could not be used.
///
/// It is tried again as long as that loses nothing: until somebody was added in memory.
///
/// The database is opened when it is needed first; nothing is made as long as there is nothing to keep. Whatever may wait for
/// the disk or another process is done on a thread of the store's own.
final class StateStore: Sendable {
  /// Where the database is; `nil` keeps the state in memory.
  private let folder: String?
  private let log: any LogSink
  private let patience: Duration
  private let queue = WorkQueue("BrewTipsBackend.state")
  /// Only ever locked on that thread.
  private let current = Mutex(Current())

  private struct Current {
    /// The database once it is open.
    var database: StateDatabase?
    /// Whether the last word in the log is that nothing is kept.
    var hasWarned = false
  }

  /// A store in a folder; one in memory when that is `nil`.
  ///
  /// - Parameter patience: How long a call waits for other processes. Default: 5 s.
  init(folder: String?, log: any LogSink, patience: Duration = .seconds(5)) {
    self.folder = folder
    self.log = log
    self.patience = patience
  }

  // The functions throw `CancellationError` as soon as their task is cancelled. What has begun then is done.

  /// The port to listen on, once there was one.
  func port() async throws -> Int? {
    try await perform(isChange: false) { database throws(SQLiteError) in try database.port() }
  }

  /// Keeps a port to listen on, unless there is one.
  func keepPort(_ port: Int) async throws {
    // For this alone nobody waits for other processes once more.
    try await perform(isChange: true, triesAgain: false) { database throws(SQLiteError) in
      try database.keepPort(port)
    }
  }

  /// The users, in the order they were added.
  func users() async throws -> [User] {
    try await perform(isChange: false) { database throws(SQLiteError) in try database.users() }
  }

  /// The user with a number.
  func user(_ id: Int) async throws -> User? {
    try await perform(isChange: false) { database throws(SQLiteError) in try database.user(id) }
  }

  /// Adds a user under the next number, and returns when that is on the disk.
  ///
  /// - Throws: ``/NetLoopback/LoopbackError`` with status 507 when there are too many.
  func add(_ new: NewUser) async throws -> User {
    let user = try await perform(isChange: true) { database throws(SQLiteError) in try database.add(new) }
    guard let user else {
      throw LoopbackError(507, "There is no room for more than \(StateSchema.maximumUsers) users.")
    }
    return user
  }
}

// MARK: - The database, on the store's thread

extension StateStore {
  private typealias Work<Result> = @Sendable (StateDatabase) throws(SQLiteError) -> Result

  private func perform<Result: Sendable>(
    isChange: Bool, triesAgain: Bool = true, _ work: @escaping Work<Result>
  ) async throws -> Result {
    try await queue.run { [self] in
      try current.withLock { current throws(SQLiteError) in
        if current.database == nil, !isChange, !isThere { return try work(.inMemory(holding: BackendState())) }
        return try use(&current, triesAgain: triesAgain && isReplaceable(current.database, isChange: isChange), work)
      }
    }
  }

  /// Whether the file may serve better than a database that took its place: to be changed, or to be read at all.
  private func isReplaceable(_ database: StateDatabase?, isChange: Bool) -> Bool {
    guard folder != nil, let database, database.isReplaceable else { return false }
    return isChange || database.isInMemory && isThere
  }

  /// Does `work`: again with a new database when the one that was open is damaged, and in memory when it cannot be used.
  private func use<Result>(
    _ current: inout Current, triesAgain: Bool, _ work: Work<Result>
  ) throws(SQLiteError) -> Result {
    let substitute = triesAgain ? current.database : nil
    if triesAgain { current.database = nil }
    var (isSuspected, damage) = (false, SQLiteError?.none)
    while true {
      do throws(SQLiteError) {
        let result = try attempt(&current.database, damage: damage, work)
        if current.database?.isLasting == true { note(nil, &current) }
        return result
      } catch  where current.database?.isInMemory == true {
        throw error
      } catch  where error.isDamage && damage == nil && current.database != nil {
        // What shows twice is damage: SQLite also calls it so when the disk failed to read once.
        if isSuspected { damage = error }
        (current.database, isSuspected) = (nil, true)
      } catch {
        let last = (try? (current.database ?? substitute)?.state()) ?? earlierState ?? BackendState()
        current.database = try .inMemory(holding: last)
        note(error, &current)
      }
    }
  }

  /// Says why data is not kept, or that it is: only when the last word in the log was another.
  private func note(_ obstacle: SQLiteError?, _ current: inout Current) {
    guard let folder, (obstacle != nil) != current.hasWarned else { return }
    current.hasWarned = obstacle != nil
    let text = obstacle.map {
      "cannot keep data in \(folder): \($0.description). What is added is lost when this run ends"
    }
    log.write(text ?? "data is kept in \(folder) again", level: .warning)
  }

  /// Does `work` with the database, which is opened unless it is.
  private func attempt<Result>(
    _ current: inout StateDatabase?, damage: SQLiteError?, _ work: Work<Result>
  ) throws(SQLiteError) -> Result {
    let database = if let current { current } else { try open(damage: damage) }
    current = database
    return try work(database)
  }

  private func open(damage: SQLiteError?) throws(SQLiteError) -> StateDatabase {
    guard let files, let earlier else { return try .inMemory(holding: BackendState()) }
    return try .open(files, takingOver: earlier, patience: patience, damage: damage) { [log] line in
      log.write(line, level: .warning)
    }
  }

  private var files: DatabaseFiles? { folder.map { DatabaseFiles(folder: $0, name: "state") } }
  private var earlier: EarlierStateFile? { folder.map(EarlierStateFile.init) }

  /// Whether there is anything to be read.
  private var isThere: Bool {
    guard let files, let earlier else { return true }
    return files.isThere || earlier.isThere
  }

  /// What an earlier version has left.
  private var earlierState: BackendState? {
    guard case .state(let state) = try? earlier?.content() else { return nil }
    return state
  }
}
