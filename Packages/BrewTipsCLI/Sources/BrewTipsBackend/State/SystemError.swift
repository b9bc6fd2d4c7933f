#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Why the system refused a call.
struct SystemError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  /// The failure of the call before, which has set `errno`.
  static var last: SystemError {
    SystemError(String(cString: strerror(errno)))
  }
}
