#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The dates of `Expires`, read as tolerantly as RFC 6265bis, section 5.1.1, says: any text that has a time, a day, a month
/// and a year somewhere.
enum CookieDate {
  /// The moment that `bytes` name; `nil` when a part is missing or there is no such day.
  static func parse(_ bytes: ArraySlice<UInt8>) -> Date? {
    var parts = Parts()
    for token in bytes.split(whereSeparator: isDelimiter) { parts.take(token) }
    return parts.date
  }

  private struct Parts {
    var time: (hour: Int, minute: Int, second: Int)?
    var day: Int?
    var month: Int?
    var year: Int?

    /// Takes a token for the first part that is still missing and that it can be.
    mutating func take(_ token: ArraySlice<UInt8>) {
      if time == nil, let time = CookieDate.time(token) {
        self.time = time
      } else if day == nil, let day = CookieDate.number(token, ofDigits: 1...2) {
        self.day = day
      } else if month == nil, let month = CookieDate.month(token) {
        self.month = month
      } else if year == nil, let year = CookieDate.number(token, ofDigits: 2...4) {
        self.year = year < 70 ? year + 2_000 : year < 100 ? year + 1_900 : year
      }
    }

    var date: Date? {
      guard let (hour, minute, second) = time, let day, let month, let year,
        year >= 1_601, hour < 24, minute < 60, second < 60,
        (1...HTTPDate.daysInMonth(month, year: year)).contains(day)
      else { return nil }
      let days = HTTPDate.daysSince1970(year: year, month: month, day: day)
      return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
    }
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// The number at the beginning of `token`, if it has so many digits. What is not a digit may follow.
  private static func number(_ token: ArraySlice<UInt8>, ofDigits count: ClosedRange<Int>) -> Int? {
    let digits = token.prefix(while: isDigit)
    guard count.contains(digits.count) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
  }

  private static func time(_ token: ArraySlice<UInt8>) -> (hour: Int, minute: Int, second: Int)? {
    let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].allSatisfy(isDigit), parts[1].allSatisfy(isDigit),
      let hour = number(parts[0], ofDigits: 1...2), let minute = number(parts[1], ofDigits: 1...2),
      let second = number(parts[2], ofDigits: 1...2)
    else { return nil }
    return (hour, minute, second)
  }

  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  /// The month whose three letters `token` begins with, from 1.
  private static func month(_ token: ArraySlice<UInt8>) -> Int? {
    let letters = String(decoding: token.prefix(3).map { $0 | 0x20 }, as: UTF8.self)
    return months.firstIndex(of: letters).map { $0 + 1 }
  }
}
