import NetCache
import NetCore
@_spi(NetKits) import NetSQLite

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is read on a connection of its own, without ever waiting for whoever writes.
final class Reader {
  /// Bodies up to so many bytes in all come along with the responses of a key.
  private static let enclosedBytes: Int64 = 65_536

  private let connection: Connection
  private let lookup: Statement
  private let chunk: Statement

  /// - Parameter patience: How long a call waits for a log that is just being made good after a crash. Opening waits longer:
  ///   whoever closes the database last has it to itself for a moment.
  init(_ path: String, patience: Duration) throws(SQLiteError) {
    connection = try Connection(path, patience: Database.patience)
    try connection.runOnce(Schema.settings)
    lookup = try connection.statement(
      """
      SELECT id, variant, used, status, requested, received, length, fields, body
      FROM responses WHERE url = ? AND partition = ?
      """)
    chunk = try connection.statement("SELECT bytes FROM chunks WHERE response = ? AND number = ?")
    connection.setPatience(patience)
  }

  /// All variants of a key.
  ///
  /// - Parameter used: Is told when they were used last.
  func responses(
    for key: CacheKey, used: (Int64) -> Void
  ) throws(SQLiteError) -> [StoredResponse] {
    defer { lookup.reset() }
    try lookup.bind([key.url, key.partition])
    var found: [StoredResponse] = []
    var enclosed: Int64 = 0
    while try lookup.step() {
      if found.isEmpty { used(lookup.integer(2)) }
      let (id, length) = (lookup.integer(0), lookup.integer(6))
      var body = lookup.isNull(8) ? nil : lookup.data(8)
      if body == nil, enclosed + length <= Self.enclosedBytes { body = try chunk(0, of: id) }
      // In several chunks, or gone meanwhile: then it is for whoever reads it to find out.
      if body?.count != Int(length) { body = nil }
      enclosed += body == nil ? 0 : length
      found.append(StoredResponse(id: id, head: try head(for: key), length: length, body: body))
    }
    return found
  }

  private func head(for key: CacheKey) throws(SQLiteError) -> StoredHead {
    guard let status = HTTPResponse.Status(code: Int(lookup.integer(3))) else {
      throw .damaged("a stored response has a status that is none")
    }
    return StoredHead(
      key: key, variant: lookup.text(1), status: status, fields: try lookup.withBytes(7, FieldCoding.decode),
      requestTime: Date(timeIntervalSinceReferenceDate: lookup.real(4)),
      responseTime: Date(timeIntervalSinceReferenceDate: lookup.real(5)))
  }

  /// A piece of a body; `nil` when it is no longer stored.
  func chunk(_ number: Int64, of response: Int64) throws(SQLiteError) -> Data? {
    defer { chunk.reset() }
    try chunk.bind([response, number])
    return try chunk.step() ? chunk.data(0) : nil
  }

  func info() throws(SQLiteError) -> CacheInfo {
    let sql = "SELECT entries, bytes FROM counts"
    let rows = try connection.rows(sql) { CacheInfo(entries: Int($0.integer(0)), bytes: $0.integer(1)) }
    guard let info = rows.first else { throw .damaged("the counts are missing") }
    return info
  }
}
