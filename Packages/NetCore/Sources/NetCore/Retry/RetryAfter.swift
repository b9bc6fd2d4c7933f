#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How long a server asks to wait (RFC 9110, section 10.2.3).
enum RetryAfter {
  /// The wait that `value` asks for: a number of seconds, or a date in one of HTTP's three forms.
  ///
  /// A date that has passed asks for no wait. `nil` for anything else, which asks for nothing that is understood; a number
  /// too large to count is the longest wait there is.
  static func wait(_ value: String, now: Date) -> Duration? {
    if !value.isEmpty, value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      return .seconds(Int32(value) ?? .max)
    }
    guard let date = HTTPDate.parse(value, now: now) else { return nil }
    return .seconds(max(0, min(date.timeIntervalSince(now), Double(Int32.max))))
  }
}
