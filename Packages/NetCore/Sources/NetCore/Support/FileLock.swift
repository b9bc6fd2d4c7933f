#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A lock between processes, and between tasks of one: `flock` on a file that is made for it and stays.
///
/// The system releases it when the process ends, however it ends.
final class FileLock: Sendable {
  private let descriptor: CInt

  private init(descriptor: CInt) {
    self.descriptor = descriptor
  }

  deinit {
    // Closing alone would leave it to a child process that is just being started and has a copy of the descriptor.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Waits for the lock, asking for it again and again, and takes it.
  ///
  /// - Parameter limit: How long to wait.
  /// - Throws: ``APIError`` of kind `transport(.timedOut(.idle))` after that, of kind `invalidRequest` when the file cannot
  ///   be made; `CancellationError` at once.
  static func acquire(fileAt path: String, within limit: Duration, timeSource: TimeSource) async throws -> FileLock {
    let end = timeSource.elapsed + limit
    var wait = Duration.milliseconds(5)
    while true {
      try Task.checkCancellation()
      if let lock = try await FileIO.perform({ try tryAcquire(fileAt: path) }) { return lock }
      guard timeSource.elapsed < end else {
        throw APIError(
          .transport(.timedOut(.idle)), reason: "Another process held the lock \(path) for \(limit.readable).",
          mayHaveReachedServer: false)
      }
      try await timeSource.sleep(until: min(timeSource.elapsed + wait, end))
      wait = min(wait * 2, .milliseconds(50))
    }
  }

  /// The lock; `nil` when somebody else has it.
  private static func tryAcquire(fileAt path: String) throws -> FileLock? {
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileIO.failure("lock", path) }
    let lock = FileLock(descriptor: descriptor)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return nil }
      guard errno == EINTR else { throw FileIO.failure("lock", path) }
    }
    return lock
  }
}
