import CSQLite

/// A connection to a database. It is used by one thread at a time, and keeps its statements prepared.
final class Connection {
  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// Opens the database at `path`, which must be there.
  ///
  /// - Parameter patience: How long a call waits for other connections before it fails as busy.
  init(_ path: String, patience: Duration) throws(SQLiteCacheError) {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let handle else {
      defer { sqlite3_close_v2(handle) }
      throw SQLiteCacheError(handle, code)
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
  func setPatience(_ patience: Duration) {
    sqlite3_busy_timeout(handle, Int32(patience / .milliseconds(1)))
  }

  /// The statement for `sql`, prepared once.
  func statement(_ sql: String) throws(SQLiteCacheError) -> Statement {
    if let statement = statements[sql] { return statement }
    let statement = try Statement(sql, on: handle)
    statements[sql] = statement
    return statement
  }

  /// Runs one statement to its end.
  func run(_ sql: String, _ values: any SQLiteValue...) throws(SQLiteCacheError) {
    try run(sql, with: values)
  }

  /// Runs one statement to its end.
  func run(_ sql: String, with values: [any SQLiteValue]) throws(SQLiteCacheError) {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step() {}
  }

  /// The rows that a statement gives, each as `read` takes it.
  func rows<Row>(
    _ sql: String, _ values: any SQLiteValue..., read: (Statement) -> Row
  ) throws(SQLiteCacheError) -> [Row] {
    try rows(sql, with: values, read: read)
  }

  /// The rows that a statement gives, each as `read` takes it.
  func rows<Row>(
    _ sql: String, with values: [any SQLiteValue], read: (Statement) -> Row
  ) throws(SQLiteCacheError) -> [Row] {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    var rows: [Row] = []
    while try statement.step() { rows.append(read(statement)) }
    return rows
  }

  /// The number that a statement gives.
  func number(_ sql: String) throws(SQLiteCacheError) -> Int64 {
    try rows(sql) { $0.integer(0) }.first ?? 0
  }

  /// Runs statements that are needed once, and gives no rows.
  func runOnce(_ sql: String) throws(SQLiteCacheError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteCacheError(handle, code) }
  }

  /// How many rows the last statement changed.
  var changes: Int { Int(sqlite3_changes(handle)) }
}
