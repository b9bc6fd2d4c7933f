#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What everybody holds who has a database open: `flock` on a file beside it. Who is alone has it exclusively for a while,
/// and may then do what would disturb others.
///
/// The system releases it when the process ends, however it ends.
@_spi(NetKits) public final class SharedLock: Sendable {
  private let descriptor: CInt
  /// Whether nobody else had it when it was taken.
  public let isAlone: Bool

  /// Takes the lock. Somebody who is alone with it is waited for.
  public init(_ path: String, patience: Duration) throws(SQLiteError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system("lock", path) }
    var isAlone = false
    let end = ContinuousClock.now + patience
    while true {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
        isAlone = true
        break
      }
      if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { break }
      guard errno == EWOULDBLOCK || errno == EINTR, ContinuousClock.now < end else {
        let failure = SQLiteError.system("lock", path)
        close(descriptor)
        throw failure
      }
      usleep(2_000)
    }
    self.isAlone = isAlone
  }

  deinit {
    // Closing alone would leave it to a child process that is just being started and has a copy of the descriptor.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Lets others in.
  public func share() {
    guard isAlone else { return }
    // Nobody who comes in between finds anything but a database that is as it should be.
    while flock(descriptor, LOCK_SH) != 0, errno == EINTR {}
  }
}
