import CSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Why a database could not do what it was asked for. Nothing was half done.
@_spi(NetKits) public struct SQLiteError: Error, Sendable, Hashable {
  /// SQLite's primary result code; 0 when it is not SQLite that refused.
  private let code: Int32
  /// What is wrong, for people: `database or disk is full`.
  public let description: String

  private init(_ description: String, code: Int32) {
    self.code = code
    self.description = description
  }

  /// Something else than SQLite refuses.
  public init(_ description: String) {
    self.init(description, code: 0)
  }

  /// Why the last call on a connection failed.
  init(_ connection: OpaquePointer?, _ extendedCode: Int32) {
    let reason = connection.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(extendedCode)
    let text = reason.map { String(cString: $0) } ?? "unknown"
    self.init("SQLite: \(text) (\(extendedCode))", code: extendedCode & 0xFF)
  }

  /// Why the system refused a call, which has set `errno`.
  public static func system(_ verb: String, _ path: String) -> SQLiteError {
    SQLiteError("could not \(verb) \(path): \(String(cString: strerror(errno)))")
  }

  /// What the file holds is not what the program keeps there, or no longer.
  public static func damaged(_ reason: String) -> SQLiteError {
    SQLiteError(reason, code: SQLITE_CORRUPT)
  }

  /// Whether the file is damaged, so that nothing but a new one helps.
  public var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }

  /// Whether another connection was in the way.
  public var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
}

@_spi(NetKits) extension SQLiteError: CustomStringConvertible {}
