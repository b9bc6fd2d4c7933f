import CSQLite

/// A connection to a database. It is used by one thread at a time, and keeps its statements prepared.
@_spi(NetKits) public final class Connection {
  /// What a connection may do.
  public enum Access: Sendable {
    case reading, writing
  }

  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// Opens the database at `path`, which must be there; `:memory:` is a new one that nobody else sees.
  ///
  /// - Parameters:
  ///   - access: What it may do. Default: write, as far as the file can be written.
  ///   - patience: How long a call waits for other connections before it fails as busy.
  public init(_ path: String, for access: Access = .writing, patience: Duration) throws(SQLiteError) {
    var handle: OpaquePointer?
    let flags = access == .writing ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    let code = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let handle else {
      defer { sqlite3_close_v2(handle) }
      throw SQLiteError(handle, code)
    }
    self.handle = handle
    sqlite3_extended_result_codes(handle, 1)
    setPatience(patience)
  }

  deinit {
    statements = [:]
    sqlite3_close_v2(handle)
  }

  /// Sets how long a call waits for other connections before it fails as busy.
  public func setPatience(_ patience: Duration) {
    sqlite3_busy_timeout(handle, Int32(patience / .milliseconds(1)))
  }

  /// The statement for `sql`, prepared once.
  public func statement(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = statements[sql] { return statement }
    let statement = try Statement(sql, on: handle)
    statements[sql] = statement
    return statement
  }

  /// Runs one statement to its end.
  public func run(_ sql: String, _ values: any SQLiteValue...) throws(SQLiteError) {
    try run(sql, with: values)
  }

  /// Runs one statement to its end.
  public func run(_ sql: String, with values: [any SQLiteValue]) throws(SQLiteError) {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step() {}
  }

  /// The rows that a statement gives, each as `read` takes it.
  public func rows<Row>(
    _ sql: String, _ values: any SQLiteValue..., read: (Statement) -> Row
  ) throws(SQLiteError) -> [Row] {
    try rows(sql, with: values, read: read)
  }

  /// The rows that a statement gives, each as `read` takes it.
  public func rows<Row>(
    _ sql: String, with values: [any SQLiteValue], read: (Statement) -> Row
  ) throws(SQLiteError) -> [Row] {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    var rows: [Row] = []
    while try statement.step() { rows.append(read(statement)) }
    return rows
  }

  /// The number that a statement gives.
  public func number(_ sql: String) throws(SQLiteError) -> Int64 {
    try rows(sql) { $0.integer(0) }.first ?? 0
  }

  /// Runs statements that are needed once, and gives no rows.
  public func runOnce(_ sql: String) throws(SQLiteError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(handle, code) }
  }

  /// Runs `body` in a transaction, which nobody else who writes comes into: it happens as a whole or not at all, whatever
  /// becomes of the process.
  public func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
    try run("BEGIN IMMEDIATE")
    do throws(SQLiteError) {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      try? run("ROLLBACK")
      throw error
    }
  }

  /// How many rows the last statement changed.
  public var changes: Int { Int(sqlite3_changes(handle)) }
}
