@_spi(NetKits) import NetSQLite

/// The tables, and how a connection is set up.
enum StateSchema {
  static let maximumUsers = 1_000
  /// What a number in JSON can be to everybody: 2⁵³.
  static let highestID = 1 << 53

  /// `BTS1`. Version 1 has the tables, with what an earlier version's file held; since version 2 that file is out of the way.
  static let stamp = SchemaStamp(applicationID: 0x4254_5331, version: 2, of: "state.sqlite")

  /// What is acknowledged is on the disk, and with `EXTRA` also that its journal is gone, which would undo it after a power
  /// cut. There is no log beside the database, so that it can be read where nothing can be written.
  static let settings = "PRAGMA synchronous = EXTRA; PRAGMA trusted_schema = OFF"

  private static let tables = """
    CREATE TABLE state (
      row INTEGER PRIMARY KEY CHECK (row = 1),   -- the only one
      port INTEGER                               -- to listen on, once there was one
        CHECK (port IS NULL OR typeof(port) = 'integer' AND port BETWEEN 1 AND 65535),
      last_id INTEGER NOT NULL                   -- the number of the user who was added last: none is given twice
        CHECK (typeof(last_id) = 'integer' AND last_id BETWEEN 0 AND \(highestID))
    );
    CREATE TABLE users (                         -- by their numbers in the order they were added
      id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND \(highestID)),
      name TEXT NOT NULL CHECK (typeof(name) = 'text'),
      email TEXT NOT NULL CHECK (typeof(email) = 'text')
    );
    """

  /// Brings a database to the highest version.
  ///
  /// - Parameters:
  ///   - earlier: The file that a new database takes over. It stays as it is unless all of it is taken over.
  ///   - report: Is told in a line when it was damaged, or came too late.
  static func prepare(
    _ connection: Connection, takingOver earlier: EarlierStateFile, report: (String) -> Void
  ) throws(SQLiteError) {
    guard try stamp.found(in: connection) != stamp.version else {
      if earlier.isThere {
        report("\(earlier.path) is not used, since the data is in state.sqlite: remove the one that is not needed")
      }
      return
    }
    try connection.transaction { () throws(SQLiteError) in
      guard try stamp.found(in: connection) == nil else { return }
      var state = BackendState()
      if case .state(let found) = try earlier.content() { state = found }
      try makeTables(holding: state, on: connection)
      try stamp.write(1, to: connection)
    }
    // Not before its content is safe. Whoever is killed between leaves it to the next.
    guard earlier.putAway(report: report) else { return }
    try connection.transaction { () throws(SQLiteError) in try stamp.write(to: connection) }
  }

  /// Makes the tables in a database that has none.
  static func makeTables(holding state: BackendState, on connection: Connection) throws(SQLiteError) {
    try connection.runOnce(tables)
    try connection.run("INSERT INTO state VALUES (1, ?, ?)", state.port.map(Int64.init), Int64(state.lastID))
    for user in state.users {
      try connection.run("INSERT INTO users VALUES (?, ?, ?)", Int64(user.id), user.name, user.email)
    }
  }
}
