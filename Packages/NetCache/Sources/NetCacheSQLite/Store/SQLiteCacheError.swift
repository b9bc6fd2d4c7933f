@_spi(NetKits) import NetSQLite

/// Why a disk store could not do what it was asked for. Nothing was half done.
public struct SQLiteCacheError: Error, Sendable, Hashable {
  /// What is wrong, for people: `database or disk is full`.
  public let description: String

  init(_ error: SQLiteError) {
    description = error.description
  }
}

extension SQLiteCacheError: CustomStringConvertible {}
