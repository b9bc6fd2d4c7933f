import NetCache
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

  /// Opens the database of a store; makes it when it is missing. One that is damaged is set aside, if nobody else has it open.
  ///
  /// - Parameters:
  ///   - isDamaged: Whether it was found to be damaged before.
  ///   - report: Is told in a line when it is set aside.
  init(
    _ files: PrivateFiles, limits: CacheLimits, isDamaged: Bool, report: @Sendable (String) -> Void
  ) throws(SQLiteCacheError) {
    try files.makeFolder()
    let lock = try SharedLock(files.lock, patience: Self.patience)
    let uses = Uses(entries: limits.entries)
    let connection = try Self.open(files, isDamaged: isDamaged, isAlone: lock.isAlone, report: report)
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
    _ files: PrivateFiles, isDamaged: Bool, isAlone: Bool, report: @Sendable (String) -> Void
  ) throws(SQLiteCacheError) -> Connection {
    do throws(SQLiteCacheError) {
      if isDamaged { throw SQLiteCacheError.damaged("it was damaged when it was used last") }
      return try connect(files)
    } catch  where error.isDamage && isAlone {
      let name = try files.setAside()
      let consequence = name.map { "it is called \($0) now" } ?? "it is removed, since others were set aside before"
      report(
        "\(files.database) is no cache that can be read (\(error.description)): \(consequence), and a new one begins.")
      return try connect(files)
    }
  }

  /// A connection to a database that has the tables of this version.
  private static func connect(_ files: PrivateFiles) throws(SQLiteCacheError) -> Connection {
    try files.makePrivate()
    let connection = try Connection(files.database, patience: patience)
    try connection.runOnce(Schema.beginning)
    let mode = try connection.rows("PRAGMA journal_mode = WAL") { $0.text(0) }.first
    guard mode == "wal" else {
      throw SQLiteCacheError("\(files.folder) is on a file system that several processes cannot share a database on")
    }
    try connection.runOnce(Schema.settings)
    try connection.runOnce("BEGIN IMMEDIATE")
    try Schema.prepare(connection)
    try connection.runOnce("COMMIT")
    return connection
  }

  // MARK: Its connections

  /// Changes something. It may wait, for the disk and for other processes.
  func write<Result: Sendable>(_ change: (Writer) throws(SQLiteCacheError) -> Result) throws -> Result {
    try writer.withLock { try change($0) }
  }

  /// Reads something. It may wait for the disk.
  func read<Result: Sendable>(_ body: (Reader) throws(SQLiteCacheError) -> Result) throws -> Result {
    try reader.withLock { try body($0) }
  }

  /// Reads something small, unless it would have to wait for others.
  func readAtOnce<Result: Sendable>(_ body: (Reader) throws(SQLiteCacheError) -> Result) throws -> Result? {
    for lookup in lookups {
      do {
        if let result = try lookup.reader.withLockIfAvailable({ try body($0) }) { return result }
      } catch let error as SQLiteCacheError where error.isBusy {
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
