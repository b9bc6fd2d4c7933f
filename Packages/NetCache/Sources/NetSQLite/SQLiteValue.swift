import CSQLite

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A value for a statement's parameter.
@_spi(NetKits) public protocol SQLiteValue {
  /// Binds it; returns SQLite's result code.
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

@_spi(NetKits) extension Int64: SQLiteValue {
  /// Binds it; returns SQLite's result code.
  public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_int64(statement, index, self)
  }
}

@_spi(NetKits) extension Double: SQLiteValue {
  /// Binds it; returns SQLite's result code.
  public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_double(statement, index, self)
  }
}

@_spi(NetKits) extension String: SQLiteValue {
  /// Binds it; returns SQLite's result code.
  public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    var text = self
    return text.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text64(
          statement, index, $0.baseAddress, UInt64($0.count), csqlite_transient(), UInt8(SQLITE_UTF8))
      }
    }
  }
}

/// A text of bytes that are not UTF-8.
@_spi(NetKits) public struct TextBytes: SQLiteValue {
  private let bytes: [UInt8]

  /// A text of these bytes.
  public init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Binds it; returns SQLite's result code.
  public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    bytes.withUnsafeBytes {
      sqlite3_bind_text64(
        statement, index, $0.assumingMemoryBound(to: CChar.self).baseAddress, UInt64($0.count), csqlite_transient(),
        UInt8(SQLITE_UTF8))
    }
  }
}

@_spi(NetKits) extension Data: SQLiteValue {
  /// Binds it; returns SQLite's result code.
  public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    withUnsafeBytes {
      // No bytes have no address, which would bind NULL.
      $0.isEmpty
        ? sqlite3_bind_zeroblob(statement, index, 0)
        : sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), csqlite_transient())
    }
  }
}

@_spi(NetKits) extension Optional: SQLiteValue where Wrapped: SQLiteValue {
  /// Binds it; returns SQLite's result code.
  public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    self?.bind(to: statement, at: index) ?? sqlite3_bind_null(statement, index)
  }
}
