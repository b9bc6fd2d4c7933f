import NetCache
@_spi(NetKits) import NetSQLite
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An open database: a connection to write, one to read bodies, and some that look responses up. It is closed when nobody
/// uses it any more.
final class Database: Sendable {
  private let lock: SharedLock
  private let writer: Mutex<Writer>
  private let reader: Mutex<Reader>
  private let lookups: [Lookup]
  let uses: Uses

  /// How long a connection waits for those of other processes.
  static let patience = Duration.seconds(5)
  /// More files than these that were set aside are not kept.
  private static let mostSetAside = 3

  /// Opens the database of a store; makes it when it is missing. One that is damaged is set aside, if nobody else has it open.
  ///
  /// - Parameters:
  ///   - damage: What was found to be wrong with it before.
  ///   - report: Is told in a line when it is set aside.
  init(
    _ files: DatabaseFiles, limits: CacheLimits, damage: SQLiteError?, report: @Sendable (String) -> Void
  ) throws(SQLiteError) {
    try files.makeFolder()
    let lock = try SharedLock(files.lock, patience: Self.patience)
    let uses = Uses(entries: limits.entries)
    let connection = try Self.open(files, damage: damage, isAlone: lock.isAlone, report: report)
    let writer = Writer(connection, limits: limits, uses: uses)
    try writer.discardLeftovers(isAlone: lock.isAlone)
    lock.share()
    self.lock = lock
    self.writer = Mutex(writer)
    self.uses = uses
    reader = Mutex(try Reader(files.database, patience: Self.patience))
    let count = min(max(ProcessInfo.processInfo.activeProcessorCount, 1), 4)
    var lookups: [Lookup] = []
    for _ in 0..<count { lookups.append(Lookup(try Reader(files.database, patience: .zero))) }
    self.lookups = lookups
  }

  private static func open(
    _ files: DatabaseFiles, damage: SQLiteError?, isAlone: Bool, report: @Sendable (String) -> Void
  ) throws(SQLiteError) -> Connection {
    try files.connection(damage: damage, isAlone: isAlone, settingAside: mostSetAside) { () throws(SQLiteError) in
      try connect(files)
    } report: { damage, name in
      let consequence = name.map { "it is called \($0) now" } ?? "it is removed, since others were set aside before"
      report(
        "\(files.database) is no cache that can be read (\(damage.description)): \(consequence), and a new one begins.")
    }
  }

  /// A connection to a database that has the tables of this version.
  private static func connect(_ files: DatabaseFiles) throws(SQLiteError) -> Connection {
    try files.makePrivate()
    let connection = try Connection(files.database, patience: patience)
    try connection.runOnce(Schema.beginning)
    let mode = try connection.rows("PRAGMA journal_mode = WAL") { $0.text(0) }.first
    guard mode == "wal" else {
      throw SQLiteError("\(files.folder) is on a file system that several processes cannot share a database on")
    }
    try connection.runOnce(Schema.settings)
    try connection.transaction { () throws(SQLiteError) in try Schema.prepare(connection) }
    return connection
  }

  // MARK: Its connections

  /// Changes something. It may wait, for the disk and for other processes.
  func write<Result: Sendable>(_ change: (Writer) throws(SQLiteError) -> Result) throws -> Result {
    try writer.withLock { try change($0) }
  }

  /// Reads something. It may wait for the disk.
  func read<Result: Sendable>(_ body: (Reader) throws(SQLiteError) -> Result) throws -> Result {
    try reader.withLock { try body($0) }
  }

  /// Reads something small, unless it would have to wait for others.
  func readAtOnce<Result: Sendable>(_ body: (Reader) throws(SQLiteError) -> Result) throws -> Result? {
    for lookup in lookups {
      do {
        if let result = try lookup.reader.withLockIfAvailable({ try body($0) }) { return result }
      } catch let error as SQLiteError where error.isBusy {
        return nil
      }
    }
    return nil
  }

  private final class Lookup: Sendable {
    let reader: Mutex<Reader>

    init(_ reader: sending Reader) {
      self.reader = Mutex(reader)
    }
  }
}
