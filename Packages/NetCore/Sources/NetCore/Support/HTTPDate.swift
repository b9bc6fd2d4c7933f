#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Dates on the wire (RFC 9110, section 5.6.7), always in GMT whatever the machine's time zone.
public enum HTTPDate {
  /// The moment that `text` names in one of the three forms a recipient must accept, in any case (RFC 9111, section 4.2);
  /// `nil` for anything else.
  ///
  ///     Sun, 06 Nov 1994 08:49:37 GMT    // the form that is sent
  ///     Sunday, 06-Nov-94 08:49:37 GMT   // RFC 850
  ///     Sun Nov  6 08:49:37 1994         // C's asctime()
  ///
  /// - Parameters:
  ///   - text: The text. Whether its day of the week is the date's is not looked at.
  ///   - now: Tells the century of a year of two digits, which is never more than 50 years ahead.
  public static func parse(_ text: some StringProtocol, now: Date) -> Date? {
    var reader = Reader(text)
    return reader.date(now: now)
  }

  /// `date` in the form that is sent, without fractions of a second.
  ///
  /// A date before the year 0 or after 9999, which the form cannot say, becomes the nearest that it can.
  public static func text(_ date: Date) -> String {
    let time = date.timeIntervalSince1970
    let seconds = time.isNaN ? 0 : Int(min(max(time, -62_167_219_200), 253_402_300_799).rounded(.down))
    let (days, rest) = seconds.quotientAndRemainder(dividingFloor: 86_400)
    let (year, month, day) = civil(days)
    let weekday = weekdays[(days + 4).quotientAndRemainder(dividingFloor: 7).remainder].prefix(3)
    let clock = [rest / 3_600, rest / 60 % 60, rest % 60].map { padded($0, to: 2) }.joined(separator: ":")
    return "\(weekday), \(padded(day, to: 2)) \(months[month - 1]) \(padded(year, to: 4)) \(clock) GMT"
  }

  fileprivate static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  fileprivate static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

  private static func padded(_ number: Int, to width: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  static func daysInMonth(_ month: Int, year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Days of the Gregorian calendar between 1970-01-01 and a date, counted from the first of March of the year -400.
  static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let year = (month <= 2 ? year - 1 : year) + 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468 - 146_097
  }

  /// The date so many days after 1970-01-01, by the same count.
  private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(dividingFloor: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    return (era * 400 + yearOfEra + (month >= 10 ? 1 : 0), month >= 10 ? month - 9 : month + 3, day)
  }
}

/// Reads a date from the left.
private struct Reader {
  private var rest: ArraySlice<UInt8>

  /// A text longer than any date is read as no date.
  init(_ text: some StringProtocol) {
    rest = text.utf8.count <= 40 ? Array(text.utf8)[...] : []
  }

  mutating func date(now: Date) -> Date? {
    if skipOne(of: HTTPDate.weekdays, length: 3) {
      return skip(", ") ? standard() : asctime()
    }
    return skipOne(of: HTTPDate.weekdays, length: nil) ? rfc850(now: now) : nil
  }

  private mutating func standard() -> Date? {
    guard let day = number(2), skip(" "), let month = month(), skip(" "), let year = number(4), skip(" "),
      let time = time(), skip(" GMT")
    else { return nil }
    return date(year, month, day, time)
  }

  private mutating func rfc850(now: Date) -> Date? {
    guard skip(", "), let day = number(2), skip("-"), let month = month(), skip("-"), let year = number(2), skip(" "),
      let time = time(), skip(" GMT")
    else { return nil }
    let thisYear = 1970 + Int((now.timeIntervalSince1970 / 31_556_952).rounded(.down))
    let full = thisYear / 100 * 100 + year
    return date(full > thisYear + 50 ? full - 100 : full, month, day, time)
  }

  private mutating func asctime() -> Date? {
    guard skip(" "), let month = month(), skip(" "), let day = skip(" ") ? number(1) : number(2), skip(" "),
      let time = time(), skip(" "), let year = number(4)
    else { return nil }
    return date(year, month, day, time)
  }

  private func date(_ year: Int, _ month: Int, _ day: Int, _ time: Int) -> Date? {
    guard rest.isEmpty, (1...HTTPDate.daysInMonth(month, year: year)).contains(day) else { return nil }
    return Date(
      timeIntervalSince1970: Double(HTTPDate.daysSince1970(year: year, month: month, day: day) * 86_400 + time))
  }

  /// The seconds since midnight; a leap second is the 60th.
  private mutating func time() -> Int? {
    guard let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    return (hour * 60 + minute) * 60 + second
  }

  private mutating func month() -> Int? {
    for (index, name) in HTTPDate.months.enumerated() where skip(name) { return index + 1 }
    return nil
  }

  private mutating func number(_ digits: Int) -> Int? {
    let text = rest.prefix(digits)
    guard text.count == digits, text.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    rest = rest.dropFirst(digits)
    return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// Passes one of `names`, cut to `length`, when a whole word of it is there.
  private mutating func skipOne(of names: [String], length: Int?) -> Bool {
    let word = rest.prefix { isLetter($0) }
    guard names.contains(where: { isSame(word, $0.utf8.prefix(length ?? .max)) }) else { return false }
    rest = rest[word.endIndex...]
    return true
  }

  private mutating func skip(_ text: String) -> Bool {
    guard isSame(rest.prefix(text.utf8.count), text.utf8.prefix(.max)) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  private func isSame(_ one: ArraySlice<UInt8>, _ other: Substring.UTF8View) -> Bool {
    one.elementsEqual(other) { lowercased($0) == lowercased($1) }
  }

  private func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased(byte))
  }

  private func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}

extension Int {
  fileprivate func quotientAndRemainder(dividingFloor divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
