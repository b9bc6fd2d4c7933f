import CSQLite

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A prepared statement.
@_spi(NetKits) public final class Statement {
  private let pointer: OpaquePointer
  private let connection: OpaquePointer

  init(_ sql: String, on connection: OpaquePointer) throws(SQLiteError) {
    var pointer: OpaquePointer?
    let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
    guard code == SQLITE_OK, let pointer else { throw SQLiteError(connection, code) }
    self.pointer = pointer
    self.connection = connection
  }

  deinit {
    sqlite3_finalize(pointer)
  }

  /// Runs to the next row; whether there is one.
  public func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw SQLiteError(connection, code)
    }
  }

  /// Ends a run, which else holds its snapshot of the database and what was bound.
  public func reset() {
    sqlite3_reset(pointer)
    sqlite3_clear_bindings(pointer)
  }

  /// Binds the parameters, in their order.
  public func bind(_ values: [any SQLiteValue]) throws(SQLiteError) {
    for (index, value) in values.enumerated() {
      let code = value.bind(to: pointer, at: Int32(index + 1))
      guard code == SQLITE_OK else { throw SQLiteError(connection, code) }
    }
  }

  // MARK: Columns, counted from 0

  /// A number; 0 where there is none.
  public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }

  /// A number with a fraction; 0 where there is none.
  public func real(_ column: Int32) -> Double { sqlite3_column_double(pointer, column) }

  /// Whether there is nothing.
  public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }

  /// A text; an empty one where there is none.
  public func text(_ column: Int32) -> String {
    // The bytes, since the text may have a NUL in it; asked for after the text, as SQLite wants it.
    guard let bytes = sqlite3_column_text(pointer, column) else { return "" }
    let count = Int(sqlite3_column_bytes(pointer, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// The bytes of a blob; none where there is no blob.
  public func data(_ column: Int32) -> Data {
    withBytes(column) { Data($0) }
  }

  /// The bytes of a blob, which are there until the next step.
  public func withBytes<Result, Failure>(
    _ column: Int32, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = sqlite3_column_blob(pointer, column)
    return try body(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(pointer, column))))
  }
}
