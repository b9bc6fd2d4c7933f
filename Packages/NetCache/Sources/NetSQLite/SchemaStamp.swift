/// What tells a program's databases from all others, and their versions apart: SQLite's `application_id` and `user_version`.
@_spi(NetKits) public struct SchemaStamp: Sendable {
  /// The version of this program: the highest it knows.
  public let version: Int64
  private let applicationID: Int64
  /// What it is, for errors: `the cache`.
  private let subject: String

  /// The mark of a program's databases.
  public init(applicationID: Int64, version: Int64, of subject: String) {
    self.applicationID = applicationID
    self.version = version
    self.subject = subject
  }

  /// The version of a database; `nil` when there is nothing in it yet.
  ///
  /// - Throws: A damage when it is another program's; another error when it is of a newer version.
  public func found(in connection: Connection) throws(SQLiteError) -> Int64? {
    guard try connection.number("SELECT count(*) FROM sqlite_master") > 0 else { return nil }
    guard try connection.number("PRAGMA application_id") == applicationID else {
      throw .damaged("it is another program's")
    }
    let found = try connection.number("PRAGMA user_version")
    guard found <= version else { throw SQLiteError("\(subject) was written by a newer version") }
    return found
  }

  /// Marks a database. Part of the transaction that makes it what it is then.
  ///
  /// - Parameter version: What it is; `nil` for the highest version.
  public func write(_ version: Int64? = nil, to connection: Connection) throws(SQLiteError) {
    try connection.runOnce(
      "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version ?? self.version)")
  }
}
