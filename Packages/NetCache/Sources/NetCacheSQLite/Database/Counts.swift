@_spi(NetKits) import NetSQLite

/// The one row of the table `counts`, during a transaction.
struct Counts: Equatable {
  /// The last number that was given away.
  private(set) var number: Int64
  var entries: Int64
  var bytes: Int64
  var pending: Int64

  /// A number that nothing had before.
  mutating func next() -> Int64 {
    number += 1
    return number
  }
}

extension Counts {
  init(_ connection: Connection) throws(SQLiteError) {
    let rows = try connection.rows("SELECT number, entries, bytes, pending FROM counts") {
      Counts(number: $0.integer(0), entries: $0.integer(1), bytes: $0.integer(2), pending: $0.integer(3))
    }
    guard rows.count == 1 else { throw .damaged("the counts are missing") }
    self = rows[0]
  }

  func write(to connection: Connection) throws(SQLiteError) {
    try connection.run(
      "UPDATE counts SET number = ?, entries = ?, bytes = ?, pending = ?", number, entries, bytes, pending)
  }
}
