#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Dates on the wire (RFC 9110, section 5.6.7), always in GMT whatever the machine's time zone.
enum HTTPDate {
  /// The moment that `text` names in one of the three forms a recipient must accept; `nil` for anything else.
  ///
  ///     Sun, 06 Nov 1994 08:49:37 GMT    // the form that is sent
  ///     Sunday, 06-Nov-94 08:49:37 GMT   // RFC 850
  ///     Sun Nov  6 08:49:37 1994         // C's asctime()
  ///
  /// - Parameter now: Tells the century of a year of two digits, which is never more than 50 years ahead.
  static func parse(_ text: some StringProtocol, now: Date) -> Date? {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    switch words.count {
    case 6 where words[5] == "GMT":
      return date(day: words[1], month: words[2], year: words[3], time: words[4])
    case 4 where words[3] == "GMT":
      let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 3, parts[2].count == 2, let year = number(parts[2]) else { return nil }
      return date(day: parts[0], month: parts[1], year: "\(fullYear(year, now: now))", time: words[2])
    case 5:
      return date(day: words[2], month: words[1], year: words[4], time: words[3])
    default:
      return nil
    }
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static func date(
    day: some StringProtocol, month: some StringProtocol, year: some StringProtocol, time: some StringProtocol
  ) -> Date? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { $0.count == 2 ? number($0) : nil }
    guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
      hour < 24, minute < 60, second <= 60, year.count == 4, day.count <= 2,
      let year = number(year), let month = months.firstIndex(where: { $0 == month }), let day = number(day),
      (1...daysInMonth(month, year: year)).contains(day)
    else { return nil }
    let days = daysSince1970(year: year, month: month + 1, day: day)
    return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
  }

  private static func number(_ digits: some StringProtocol) -> Int? {
    digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(digits) : nil
  }

  private static func daysInMonth(_ month: Int, year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 1 ? (isLeap ? 29 : 28) : [3, 5, 8, 10].contains(month) ? 30 : 31
  }

  /// Days of the Gregorian calendar between 1970-01-01 and a date, counted from the first of March of the year -400.
  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let year = (month <= 2 ? year - 1 : year) + 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468 - 146_097
  }

  private static func fullYear(_ twoDigits: Int, now: Date) -> Int {
    let thisYear = 1970 + Int((now.timeIntervalSince1970 / 31_556_952).rounded(.down))
    let year = thisYear / 100 * 100 + twoDigits
    return year > thisYear + 50 ? year - 100 : year
  }
}
