#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A lock that one process, and one holder in it, has at a time. It ends with its process at the latest.
enum FileLock {
  /// Runs `body` under the lock on the file at `path`, which is made when it is missing.
  ///
  /// - Throws: ``SystemError`` when there is no lock, after five seconds when another holds it; what `body` throws.
  static func holding<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError.last }
    defer { close(descriptor) }
    try lock(descriptor, path)
    return try body()
  }

  private static func lock(_ descriptor: Int32, _ path: String) throws(SystemError) {
    let limit = ContinuousClock.now + .seconds(5)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      guard errno == EWOULDBLOCK else { throw .last }
      guard ContinuousClock.now < limit else { throw SystemError("another process holds \(path)") }
      usleep(5_000)
    }
  }
}
