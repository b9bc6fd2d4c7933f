import NetCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The current date in the form of HTTP (RFC 9110, section 5.6.7), written once a second.
final class HTTPDateClock: Sendable {
  private let last = Mutex((second: time_t(-1), text: ""))

  var now: String {
    let second = time(nil)
    return last.withLock { last in
      if last.second != second { last = (second, HTTPDate.text(Date(timeIntervalSince1970: Double(second)))) }
      return last.text
    }
  }
}
