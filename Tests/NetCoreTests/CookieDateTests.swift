import Foundation
import Testing

@testable import NetCore

private typealias Row = CookieRow<String, Double?>

/// The date parser of RFC 6265bis, section 5.1.1.
@Suite(.timeLimit(.minutes(1))) struct CookieDateTests {
  private static let dates = [
    Row("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
    Row("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    Row("Sun Nov  6 08:49:37 1994", 784_111_777),
    Row("06 NOV 94 8:49:37", 784_111_777),
    Row("1994 november 6 8:49:37 PST", 784_111_777),
    Row("8:49:37 6 nov 1994", 784_111_777),
    Row("6nd Novembre 1994AD 08:49:37Z", 784_111_777),
    Row("6/Nov/1994|08:49:37", 784_111_777),
    Row("6/Nov/1994;08:49:37", 784_111_777),
    Row("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    Row("Thu, 1-Jan-70 0:0:0", 0),
    Row("1 Jan 69 00:00:00", 3_124_224_000),
    Row("1 Jan 00 00:00:00", 946_684_800),
    Row("1 Jan 99 00:00:00", 915_148_800),
    Row("29 Feb 2000 00:00:00", 951_782_400),
    Row("29 Feb 1900 00:00:00", nil),
    Row("29 Feb 2023 00:00:00", nil),
    Row("31 Apr 2026 00:00:00", nil),
    Row("1 Jan 1601 00:00:00", -11_644_473_600),
    Row("31 Dec 1600 23:59:59", nil),
    Row("31 Dec 9999 23:59:59", 253_402_300_799),
    Row("0 Jan 2026 00:00:00", nil),
    Row("32 Jan 2026 00:00:00", nil),
    Row("1 Jan 2026 24:00:00", nil),
    Row("1 Jan 2026 00:60:00", nil),
    Row("1 Jan 2026 00:00:60", nil),
    Row("1 Jan 2026 00:00", nil),
    Row("1 Jan 2026 00:00:001", nil),
    Row("1 Jan 2026 000:00:00", nil),
    Row("1 Jan 2026 00:00:00:00", 1_767_225_600),
    Row("1 Jan 20260 00:00:00", nil),
    Row("1 Jan 123 00:00:00", nil),
    Row("001 Jan 2026 00:00:00", nil),
    Row("1 Ja 2026 00:00:00", nil),
    Row("1 Jan 00:00:00", nil),
    Row("Jan 2026 00:00:00", nil),
    Row("2026-01-01T00:00:00Z", nil),
    Row("1 Jan 2026 Feb 2 2027 00:00:00 11:11:11", 1_767_225_600),
    Row("1 2 Jan 2026 00:00:00", 1_767_225_600),
    Row("1 22 Jan 00:00:00", 1_640_995_200),
    Row("", nil),
    Row("GMT", nil),
  ]

  @Test(arguments: dates) private func `dates are read tolerantly`(row: Row) {
    #expect(CookieDate.parse(Array(row.input.utf8)[...])?.timeIntervalSince1970 == row.output)
  }

  @Test func `days of 800 years are those that the calendar says`() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    var faults: [String] = []
    for step in stride(from: -11_000_000_000.0, to: 14_000_000_000, by: 86_400 * 97) {
      let date = Date(timeIntervalSince1970: step)
      let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
      guard let year = parts.year, let month = parts.month, let day = parts.day, let hour = parts.hour,
        let minute = parts.minute, let second = parts.second
      else { continue }
      let text = "\(day) \(names[month - 1]) \(year) \(hour):\(minute):\(second)"
      if CookieDate.parse(Array(text.utf8)[...]) != date { faults.append(text) }
    }
    #expect(faults == [])
  }
}
