#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Why a server could not start.
public enum LoopbackStartError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Another process, or another server, listens on the port.
  case portInUse(Int)
  /// The system does not let this process listen on the port.
  case portNotAllowed(Int)
  /// The number is no port: ports are 0 to 65,535.
  case invalidPort(Int)
  /// The system has no such address: it has no IPv6, for one.
  case addressUnavailable(String)
  /// The system refused for another reason, which it names.
  case system(String)

  init(_ code: Int32, address: String, port: Int) {
    switch code {
    case EADDRINUSE: self = .portInUse(port)
    case EACCES: self = .portNotAllowed(port)
    case EADDRNOTAVAIL, EAFNOSUPPORT: self = .addressUnavailable(address)
    default: self = .system(String(cString: strerror(code)))
    }
  }

  /// What is wrong, for people.
  public var description: String {
    switch self {
    case .portInUse(let port): "Port \(port) is in use: stop what listens there, or take another port."
    case .portNotAllowed(let port): "This process may not listen on port \(port): take one above 1023."
    case .invalidPort(let port): "\(port) is not a port: take one from 1 to 65535, or 0 for any free one."
    case .addressUnavailable(let address): "This machine has no address \(address)."
    case .system(let reason): "The server could not start: \(reason)."
    }
  }
}
