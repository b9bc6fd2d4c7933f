@_spi(NetKits) import NetSQLite

/// The state in a database. Its calls block, and read what other processes have written; one thread at a time makes them.
final class StateDatabase {
  private let connection: Connection
  /// Held while it is open; `nil` for one that no other process has.
  private let lock: SharedLock?
  /// Why it can only be read, if so.
  private let obstacle: SQLiteError?

  let isInMemory: Bool
  private var hasNewUsers = false

  private init(
    _ connection: Connection, lock: SharedLock? = nil, obstacle: SQLiteError? = nil, isInMemory: Bool = false
  ) {
    self.connection = connection
    self.lock = lock
    self.obstacle = obstacle
    self.isInMemory = isInMemory
  }

  /// A database in memory that begins with a state.
  static func inMemory(holding state: BackendState) throws(SQLiteError) -> StateDatabase {
    let connection = try Connection(":memory:", patience: .zero)
    try StateSchema.makeTables(holding: state, on: connection)
    return StateDatabase(connection, isInMemory: true)
  }

  /// Whether what is changed in it lasts.
  var isLasting: Bool { obstacle == nil && !isInMemory }
  /// Whether another one can take its place, and nothing is lost.
  var isReplaceable: Bool { !isLasting && !hasNewUsers }

  // MARK: What is in it

  /// The port to listen on, once there was one.
  func port() throws(SQLiteError) -> Int? {
    try row().port
  }

  /// Keeps a port to listen on, unless there is one.
  func keepPort(_ port: Int) throws(SQLiteError) {
    try change { () throws(SQLiteError) in
      try connection.run("UPDATE state SET port = ? WHERE port IS NULL", Int64(port))
    }
  }

  /// The users, in the order they were added.
  func users() throws(SQLiteError) -> [User] {
    try connection.rows("SELECT id, name, email FROM users ORDER BY id", read: User.init)
  }

  /// The user with a number.
  func user(_ id: Int) throws(SQLiteError) -> User? {
    try connection.rows("SELECT id, name, email FROM users WHERE id = ?", Int64(id), read: User.init).first
  }

  /// Adds a user under the next number; `nil` when there are too many.
  func add(_ new: NewUser) throws(SQLiteError) -> User? {
    try change { () throws(SQLiteError) in
      // Other programs may add users without a word about their numbers.
      let last = max(try row().lastID, Int(try connection.number("SELECT max(id) FROM users")))
      guard try connection.number("SELECT count(*) FROM users") < StateSchema.maximumUsers,
        last < StateSchema.highestID
      else { return nil }
      let user = User(id: last + 1, name: new.name, email: new.email)
      try connection.run("UPDATE state SET last_id = ?", Int64(user.id))
      try connection.run("INSERT INTO users VALUES (?, ?, ?)", Int64(user.id), user.name, user.email)
      hasNewUsers = true
      return user
    }
  }

  /// All that is in it.
  func state() throws(SQLiteError) -> BackendState {
    // The users first: whoever is added meanwhile may take a number for nothing, but no number twice.
    let users = try users()
    let (port, lastID) = try row()
    return BackendState(port: port, lastID: max(lastID, users.last?.id ?? 0), users: users)
  }

  private func row() throws(SQLiteError) -> (port: Int?, lastID: Int) {
    let rows = try connection.rows("SELECT port, last_id FROM state") {
      (port: $0.isNull(0) ? nil : Int($0.integer(0)), lastID: Int($0.integer(1)))
    }
    guard rows.count == 1 else { throw .damaged("the table `state` has not one row") }
    return rows[0]
  }

  private func change<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
    if let obstacle { throw obstacle }
    return try connection.transaction(body)
  }
}

extension User {
  fileprivate init(_ row: Statement) {
    self.init(id: Int(row.integer(0)), name: row.text(1), email: row.text(2))
  }
}

// MARK: - Its file

extension StateDatabase {
  /// Opens the database in a folder; makes it when it is missing. One that is damaged is set aside, if nobody else has it
  /// open. One that cannot be opened otherwise is opened to be read, if that can be.
  ///
  /// - Parameters:
  ///   - earlier: The file that a new database takes over.
  ///   - patience: How long a call waits for other processes.
  ///   - damage: What was found to be wrong with it before.
  ///   - report: Is told in a line what was set aside.
  static func open(
    _ files: DatabaseFiles, takingOver earlier: EarlierStateFile, patience: Duration, damage: SQLiteError? = nil,
    report: @Sendable (String) -> Void
  ) throws(SQLiteError) -> StateDatabase {
    do throws(SQLiteError) {
      try files.makeFolder()
      let lock = try SharedLock(files.lock, patience: patience)
      let connection = try files.connection(damage: damage, isAlone: lock.isAlone, settingAside: 1_000) {
        () throws(SQLiteError) in
        try connect(files, takingOver: earlier, patience: patience, report: report)
      } report: { damage, name in
        let name = name.map { "it is called \($0) now" } ?? "it is removed"
        report("\(files.database) is damaged (\(damage.description)): \(name), and a new one begins")
      }
      lock.share()
      return StateDatabase(connection, lock: lock)
    } catch  where !error.isDamage {
      guard let readable = try? reading(files, because: error) else { throw error }
      return readable
    }
  }

  private static func connect(
    _ files: DatabaseFiles, takingOver earlier: EarlierStateFile, patience: Duration, report: (String) -> Void
  ) throws(SQLiteError) -> Connection {
    try files.makePrivate()
    let connection = try Connection(files.database, patience: patience)
    try connection.runOnce(StateSchema.settings)
    try StateSchema.prepare(connection, takingOver: earlier, report: report)
    return connection
  }

  /// The database as it is, only to be read: in a folder that cannot be written, or while another program has it to itself.
  private static func reading(
    _ files: DatabaseFiles, because obstacle: SQLiteError
  ) throws(SQLiteError) -> StateDatabase {
    try files.requireFile()
    let connection = try Connection(files.database, for: .reading, patience: .zero)
    guard try StateSchema.stamp.found(in: connection) != nil else { throw obstacle }
    return StateDatabase(connection, obstacle: obstacle)
  }
}
