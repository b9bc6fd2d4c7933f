#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The files of a store, for their owner alone.
struct PrivateFiles: Sendable {
  let folder: String

  /// The database. SQLite keeps two more beside it, and gives them the same permissions.
  var database: String { folder + "/cache.sqlite" }
  var lock: String { folder + "/cache.lock" }

  private static let companions = ["-wal", "-shm"]
  /// More files than these that were set aside are not kept.
  private static let mostSetAside = 3

  /// Makes the folder and those above it that are missing.
  func makeFolder() throws(SQLiteCacheError) {
    try Self.makeFolder(folder)
  }

  private static func makeFolder(_ path: String) throws(SQLiteCacheError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.dropLast().lastIndex(of: "/"), slash > path.startIndex else {
      throw failure("make the folder", path)
    }
    try makeFolder(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("make the folder", path) }
  }

  /// Makes the database's file when it is missing, and takes from others what they may do with it.
  ///
  /// A file that is there is not opened: closing it would release the locks of every connection in this process.
  func makePrivate() throws(SQLiteCacheError) {
    let descriptor = open(database, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      close(descriptor)
    } else if errno != EEXIST {
      throw Self.failure("make the file", database)
    }
    for path in [database] + Self.companions.map({ database + $0 }) {
      var info = stat()
      if lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_mode & 0o077 != 0 { chmod(path, 0o600) }
    }
  }

  /// Gives the database another name, which it returns; when there are too many such files already it is removed. Nobody may
  /// have it open.
  func setAside() throws(SQLiteCacheError) -> String? {
    let names = (1...Self.mostSetAside).map { number in "\(database).corrupt-\(number)" }
    let free = names.first { access($0, F_OK) != 0 }
    unlink(database + "-shm")
    guard let free else {
      unlink(database + "-wal")
      guard unlink(database) == 0 || errno == ENOENT else { throw Self.failure("remove", database) }
      return nil
    }
    // With its log, so that it can be looked at.
    rename(database + "-wal", free + "-wal")
    guard rename(database, free) == 0 || errno == ENOENT else { throw Self.failure("rename", database) }
    return free
  }

  static func failure(_ verb: String, _ path: String) -> SQLiteCacheError {
    SQLiteCacheError("could not \(verb) \(path): \(String(cString: strerror(errno)))")
  }
}
