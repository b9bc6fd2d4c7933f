import Foundation
import NetTesting
import TestSupport
import Testing

@testable import NetCore

@Suite(.timeLimit(.minutes(1))) struct CookieFuzzTests {
  private static let words = [
    "a", "sid", "__Host-", "__sEcUrE-", "=", "==", ";", "; ", " ", "\t", ",", "\"", "Domain", "Domain=", ".",
    "example.com",
    ".example.com", "com", "co.uk", "127.0.0.1", "Path", "Path=/", "/x", "/x/y", "Secure", "HttpOnly", "SameSite=None",
    "SameSite=Lax", "Max-Age", "Max-Age=", "-", "0", "60", "99999999999999999999", "Expires=",
    "Thu, 01 Jan 2026 00:01:00 GMT",
    "29 Feb 2028 1:2:3", "é", "\u{301}", "\u{0}", "\r\n", "\u{7F}", "xn--", "Ω.example.com",
  ]
  private static let urls = [
    "https://example.com/", "http://example.com/x/y", "https://www.example.com/x", "http://a.b.example.com/x/y/z",
    "https://example.co.uk/", "http://127.0.0.1:1/x", "http://[::1]/", "http://localhost/x/", "https://example.com./x",
  ].map { URL(string: $0)! }

  /// A field's bytes: words and noise, now and then very many.
  private static func field(_ dice: inout SeededGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0...12, using: &dice) {
      switch Int.random(in: 0...49, using: &dice) {
      case 0: bytes.append(UInt8.random(in: .min ... .max, using: &dice))
      case 1:
        bytes += Array(
          repeating: UInt8.random(in: 0x20...0xFF, using: &dice), count: Int.random(in: 0...5_000, using: &dice))
      default: bytes += Array(words.randomElement(using: &dice)!.utf8)
      }
    }
    return bytes
  }

  // What is wrong is gathered, since an expectation a field would take longer than all the rest.

  @Test func `whatever 10,000 fields say, nothing traps and no bound is passed`() async {
    var dice = SeededGenerator(seed: 6_265)
    let clock = TestClock()
    var limits = CookieJar.Limits()
    (limits.perDomain, limits.total, limits.fieldSize) = (10, 25, 9_000)
    let jar = CookieJar(limits: limits, timeSource: clock.timeSource)
    var kept = 0
    var faults: [String] = []
    for round in 0..<10_000 {
      let bytes = Self.field(&dice)
      if let parsed = SetCookie(bytes), !(1...4_096 ~= parsed.name.count + parsed.value.count) {
        faults.append("\(round): \(parsed.name.count) and \(parsed.value.count) bytes")
      }
      if let field = HTTPField(name: .setCookie, bytes: bytes) {
        await jar.setCookies(from: HTTPFields([field]), for: Self.urls[round % Self.urls.count])
      }
      clock.advance(by: .seconds(Int.random(in: 0...9, using: &dice)))
      let field = jar.field(for: Self.urls.randomElement(using: &dice)!)
      if let field, field.bytes.count > 9_000 { faults.append("\(round): \(field.bytes.count) bytes are sent") }
      guard round % 50 == 0 else { continue }
      let all = await jar.all
      kept += all.count
      faults += Self.faults(of: all, at: clock.timeSource.now).map { "\(round): \($0)" }
    }
    #expect(faults == [])
    // Some come through, or nothing was tested.
    #expect(kept > 1_000)
  }

  /// What a jar with room for 10 cookies a domain and 25 in all may not have.
  private static func faults(of cookies: [Cookie], at now: Date) -> [String] {
    var faults: [String] = []
    let isFull = Dictionary(grouping: cookies, by: \.domain).values.contains { $0.count > 10 }
    if cookies.count > 25 || isFull { faults.append("too many") }
    let places = cookies.map { "\($0.domain) \($0.isHostOnly) \($0.path) \(Array($0.name.utf8)) \($0.isLatin1)" }
    if Set(places).count < places.count { faults.append("one twice") }
    for cookie in cookies {
      let name = cookie.name.lowercased()
      let isPromise = name.hasPrefix("__secure-") || name.hasPrefix("__host-")
      let isPlain = cookie.pair.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F && $0 != UInt8(ascii: ";") }
      if !isPlain || cookie.pair.count > 4_097 || !cookie.path.hasPrefix("/") || cookie.path.utf8.count > 1_024
        || !cookie.isHostOnly && PublicSuffixes.builtIn.contains(cookie.domain) || isPromise && !cookie.isSecure
        || cookie.expiry.map({ $0 <= now || $0 > now + 400 * 86_400 }) ?? false
      {
        faults.append("\(cookie)")
      }
    }
    return faults
  }

  @Test func `10,000 dates and hosts of noise trap nothing`() {
    var dice = SeededGenerator(seed: 5_11)
    let parts = [
      "1", "31", "Jan", "feb", "2026", "99", "9999", "00:00:00", "23:59:59", ":", "1:2", "-", " ", "x", "é", "T",
    ]
    var faults: [String] = []
    for _ in 0..<10_000 {
      let text = (0..<Int.random(in: 0...8, using: &dice)).map { _ in parts.randomElement(using: &dice)! }
        .joined(separator: [" ", ""].randomElement(using: &dice)!)
      let date = CookieDate.parse(Array(text.utf8)[...])?.timeIntervalSince1970 ?? 0
      if !(-11_644_473_600...253_402_300_799).contains(date) { faults.append(text) }
      _ = PublicSuffixes(list: text)
      _ = CookieDomain.matches(text, "example.com")
      _ = Punycode.asciiLabel(text)
    }
    #expect(faults == [])
  }

  /// The jar against a list that does what the standard says in the plainest way.
  @Test func `a jar does the same as its model`() async {
    var dice = SeededGenerator(seed: 58)
    let clock = TestClock()
    let jar = CookieJar(timeSource: clock.timeSource)
    var model = Model()
    var faults: [String] = []
    for round in 0..<2_000 {
      let url = Self.urls.randomElement(using: &dice)!
      let name = ["a", "b", "c"].randomElement(using: &dice)!
      let attributes = (0..<Int.random(in: 0...3, using: &dice)).map { _ in
        ["Path=/", "Path=/x", "Path=/x/y", "Secure", "Domain=example.com", "Max-Age=0", "Max-Age=30", "Max-Age=90"]
          .randomElement(using: &dice)!
      }
      let field = (["\(name)=\(Int.random(in: 0...99, using: &dice))"] + attributes).joined(separator: "; ")
      await jar.setCookies(from: [.setCookie: field], for: url)
      model.set(SetCookie(field)!, from: CookieOrigin(url)!, clock)
      clock.advance(by: .seconds(Int.random(in: 0...20, using: &dice)))
      let other = Self.urls.randomElement(using: &dice)!
      let (sent, expected) = (jar.field(for: other)?.value ?? "", model.sent(to: CookieOrigin(other)!, clock))
      if sent != expected { faults.append("\(round) to \(other): \(sent) instead of \(expected)") }
    }
    #expect(faults == [])
  }
}

private struct Model {
  var cookies: [Cookie] = []

  mutating func set(_ field: SetCookie, from origin: CookieOrigin, _ clock: TestClock) {
    let now = clock.timeSource.now
    cookies.removeAll { $0.hasExpired(at: now) }
    guard var cookie = Cookie(field, from: origin, at: now, publicSuffixes: .builtIn) else { return }
    let isShadowed = cookies.contains { old in
      old.isSecure && old.name == cookie.name && cookie.path.components(separatedBy: "/").starts(with: old.steps)
        && (old.covers(cookie.domain) || cookie.covers(old.domain))
    }
    if !origin.isSecure, !cookie.isSecure, isShadowed { return }
    let place = cookies.firstIndex {
      ($0.name, $0.domain, $0.path, $0.isHostOnly) == (cookie.name, cookie.domain, cookie.path, cookie.isHostOnly)
    }
    guard let place else {
      cookies.append(cookie)
      return
    }
    cookie.creation = cookies[place].creation
    cookies[place] = cookie
  }

  func sent(to origin: CookieOrigin, _ clock: TestClock) -> String {
    let fitting = cookies.filter { cookie in
      !cookie.hasExpired(at: clock.timeSource.now) && (origin.isSecure || !cookie.isSecure)
        && (cookie.isHostOnly ? cookie.domain == origin.host : cookie.covers(origin.host))
        && origin.path.components(separatedBy: "/").starts(with: cookie.steps)
    }
    let lengths = Set(fitting.map(\.path.count)).sorted(by: >)
    return lengths.flatMap { length in fitting.filter { $0.path.count == length } }
      .map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
  }
}

extension Cookie {
  /// The path's steps; a `/` at its end is none of its own.
  fileprivate var steps: [String] {
    let steps = path.components(separatedBy: "/")
    return steps.last == "" ? steps.dropLast() : steps
  }

  fileprivate func covers(_ host: String) -> Bool {
    ".\(host)".hasSuffix(".\(domain)")
  }
}
