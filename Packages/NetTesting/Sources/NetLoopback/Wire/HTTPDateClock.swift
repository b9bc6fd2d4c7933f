import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The current date in the form of HTTP (RFC 9110, section 5.6.7), written once a second.
final class HTTPDateClock: Sendable {
  private let last = Mutex((second: time_t(-1), text: ""))

  var now: String {
    let second = time(nil)
    return last.withLock { last in
      if last.second != second { last = (second, Self.text(second)) }
      return last.text
    }
  }

  static func text(_ second: time_t) -> String {
    var second = second
    var date = tm()
    gmtime_r(&second, &date)
    let time = [date.tm_hour, date.tm_min, date.tm_sec].map(twoDigits).joined(separator: ":")
    return "\(days[Int(date.tm_wday)]), \(twoDigits(date.tm_mday)) \(months[Int(date.tm_mon)]) "
      + "\(Int(date.tm_year) + 1900) \(time) GMT"
  }

  private static func twoDigits(_ number: Int32) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
