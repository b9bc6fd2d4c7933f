#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A database's files in a folder, for their owner alone.
@_spi(NetKits) public struct DatabaseFiles: Sendable {
  /// Where they are.
  public let folder: String
  /// The database. SQLite keeps more beside it at times, and gives them the same permissions.
  public let database: String
  /// What who has it open holds: ``SharedLock``.
  public let lock: String

  private static let companions = ["-journal", "-wal", "-shm"]

  /// The files `NAME.sqlite` and `NAME.lock` in a folder.
  public init(folder: String, name: String) {
    self.folder = folder
    database = "\(folder)/\(name).sqlite"
    lock = "\(folder)/\(name).lock"
  }

  /// Whether there is a database, or whatever else has its name.
  public var isThere: Bool { access(database, F_OK) == 0 }

  /// Makes the folder and those above it that are missing.
  public func makeFolder() throws(SQLiteError) {
    try Self.makeFolder(folder)
  }

  private static func makeFolder(_ path: String) throws(SQLiteError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.dropLast().lastIndex(of: "/"), slash > path.startIndex else {
      throw .system("make the folder", path)
    }
    try makeFolder(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .system("make the folder", path) }
  }

  /// Makes the database's file when it is missing, and takes from others what they may do with it.
  ///
  /// A file that is there is not opened: closing it would release the locks of every connection in this process.
  public func makePrivate() throws(SQLiteError) {
    let descriptor = open(database, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      close(descriptor)
    } else if errno != EEXIST {
      throw .system("make the file", database)
    }
    try requireFile()
    for path in [database] + Self.companions.map({ database + $0 }) {
      var info = stat()
      if lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_mode & 0o077 != 0 { chmod(path, 0o600) }
    }
  }

  /// Proves that the database is a file. Opening a named pipe would wait for its other end.
  public func requireFile() throws(SQLiteError) {
    var info = stat()
    guard stat(database, &info) == 0 else { throw .system("open", database) }
    guard info.st_mode & S_IFMT == S_IFREG else { throw SQLiteError("\(database) is not a regular file") }
  }

  /// Opens the database by `connect`. One that is damaged is set aside first, if nobody else has it open, and `connect` makes
  /// a new one.
  ///
  /// - Parameters:
  ///   - damage: What was found to be wrong with it before.
  ///   - isAlone: Whether nobody else has it open, nor can open it meanwhile.
  ///   - most: How many are kept that were set aside: one more is removed.
  ///   - report: Is told what is wrong with it, and what it is called now; `nil` when it is removed.
  public func connection(
    damage: SQLiteError?, isAlone: Bool, settingAside most: Int, connect: () throws(SQLiteError) -> Connection,
    report: (_ damage: SQLiteError, _ name: String?) -> Void
  ) throws(SQLiteError) -> Connection {
    do throws(SQLiteError) {
      if let damage { throw damage }
      do throws(SQLiteError) {
        return try connect()
      } catch  where error.isDamage {
        // SQLite also calls it damage when the disk failed to read once. What shows twice is damage.
        return try connect()
      }
    } catch  where error.isDamage && isAlone {
      report(error, try setAside(most))
      return try connect()
    }
  }

  /// Gives the database another name, which it returns; when there are too many such files already it is removed.
  private func setAside(_ most: Int) throws(SQLiteError) -> String? {
    let names = (1...most).lazy.map { number in "\(database).corrupt-\(number)" }
    let free = names.first { access($0, F_OK) != 0 }
    unlink(database + "-shm")
    // With its log, so that it can be looked at. A new one must not find it.
    for companion in ["-journal", "-wal"] {
      if let free { rename(database + companion, free + companion) } else { unlink(database + companion) }
    }
    let isGone = (free.map { rename(database, $0) } ?? unlink(database)) == 0 || errno == ENOENT
    guard isGone else { throw .system(free == nil ? "remove" : "rename", database) }
    return free
  }
}
