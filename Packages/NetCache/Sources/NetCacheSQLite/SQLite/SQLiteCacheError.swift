import CSQLite

/// Why a disk store could not do what it was asked for. Nothing was half done.
public struct SQLiteCacheError: Error, Sendable, Hashable {
  /// SQLite's primary result code; 0 when it is not SQLite that refused.
  let code: Int32
  /// What is wrong, for people: `database or disk is full`.
  public let description: String

  init(_ description: String, code: Int32 = 0) {
    self.code = code
    self.description = description
  }

  /// Why the last call on a connection failed.
  init(_ connection: OpaquePointer?, _ extendedCode: Int32) {
    let reason = connection.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(extendedCode)
    let text = reason.map { String(cString: $0) } ?? "unknown"
    self.init("SQLite: \(text) (\(extendedCode))", code: extendedCode & 0xFF)
  }

  /// What the file holds is no cache, or no longer.
  static func damaged(_ reason: String) -> SQLiteCacheError {
    SQLiteCacheError(reason, code: SQLITE_CORRUPT)
  }

  /// Whether the file is damaged, so that nothing but a new one helps.
  var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }

  /// Whether another connection was in the way.
  var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
}

extension SQLiteCacheError: CustomStringConvertible {}
