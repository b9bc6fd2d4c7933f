import Foundation
import Testing

@testable import NetCore

/// What a `Set-Cookie` says, as text: `name=value` and the attributes that were understood, in a fixed order.
private func reading(_ field: String) -> String? {
  guard let cookie = SetCookie(field) else { return nil }
  var parts = ["\(String(decoding: cookie.name, as: UTF8.self))=\(String(decoding: cookie.value, as: UTF8.self))"]
  if let age = cookie.maxAge { parts.append("age \(age)") }
  if let date = cookie.expires { parts.append("ends \(Int(date.timeIntervalSince1970))") }
  if let domain = cookie.domain { parts.append("domain \(domain)") }
  if let path = cookie.path { parts.append("path \(path)") }
  if cookie.isSecure { parts.append("secure") }
  if cookie.isHTTPOnly { parts.append("httponly") }
  if let sameSite = cookie.sameSite { parts.append("\(sameSite)") }
  return parts.joined(separator: ", ")
}

private typealias Row = CookieRow<String, String?>

@Suite(.timeLimit(.minutes(1))) struct CookieParsingTests {
  /// RFC 6265bis, section 5.6: name and value.
  private static let pairs = [
    Row("a=1", "a=1"),
    Row("a=", "a="),
    Row("a", "=a"),
    Row("=a", "=a"),
    Row("==a", "==a"),
    Row("a=b=c", "a=b=c"),
    Row(" a \t=\t b ", "a=b"),
    Row("a b=c d", "a b=c d"),
    Row("a=\"b c\"", "a=\"b c\""),
    Row("a=\"b;c\"", "a=\"b"),
    Row("a=b,c=d", "a=b,c=d"),
    Row("a=%41%3B", "a=%41%3B"),
    Row("é=ü", "é=ü"),
    Row("A=1", "A=1"),
    Row("a=b\tc", "a=b\tc"),
    Row("a=1;", "a=1"),
    Row("a=1;;;", "a=1"),
    Row("a;b=c", "=a"),
    Row("expires=1", "expires=1"),
    Row("", nil),
    Row("=", nil),
    Row(" = ;Path=/", nil),
    Row(";a=1", nil),
    Row("a=b\u{0}c", nil),
    Row("a=b\u{1F}c", nil),
    Row("a=b\u{7F}", nil),
    Row("a=1\r\nb=2", nil),
    Row("a=1; Path=/\u{8}", nil),
    Row(
      String(repeating: "n", count: 96) + "=" + String(repeating: "v", count: 4_000),
      String(repeating: "n", count: 96) + "=" + String(repeating: "v", count: 4_000)),
    Row(String(repeating: "n", count: 97) + "=" + String(repeating: "v", count: 4_000), nil),
    Row(String(repeating: "v", count: 4_096), "=" + String(repeating: "v", count: 4_096)),
    Row(String(repeating: "é", count: 2_049), nil),
    Row("a=" + String(repeating: " ", count: 5_000) + "1", "a=1"),
  ]

  /// Section 5.6.1 and following: attributes.
  private static let attributes = [
    Row("a=1; Secure", "a=1, secure"),
    Row("a=1; SECURE; httponly", "a=1, secure, httponly"),
    Row("a=1;secure=false;HttpOnly=0", "a=1, secure, httponly"),
    Row("a=1; Max-Age=60", "a=1, age 60"),
    Row("a=1; max-age=0", "a=1, age 0"),
    Row("a=1; Max-Age=-1", "a=1, age -1"),
    Row("a=1; Max-Age=+1", "a=1"),
    Row("a=1; Max-Age=", "a=1"),
    Row("a=1; Max-Age=-", "a=1"),
    Row("a=1; Max-Age=1.5", "a=1"),
    Row("a=1; Max-Age=\"60\"", "a=1"),
    Row("a=1; Max-Age=1e3", "a=1"),
    Row("a=1; Max-Age=60; Max-Age=x", "a=1, age 60"),
    Row("a=1; Max-Age=60; Max-Age=70", "a=1, age 70"),
    Row("a=1; Max-Age=99999999999999999999999", "a=1, age \(Int.max)"),
    Row("a=1; Max-Age=-99999999999999999999999", "a=1, age \(-Int.max)"),
    Row("a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT", "a=1, ends 784111777"),
    Row("a=1; Expires=never", "a=1"),
    Row("a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT; Expires=never", "a=1, ends 784111777"),
    Row("a=1; Domain=Example.COM", "a=1, domain example.com"),
    Row("a=1; Domain=.example.com", "a=1, domain example.com"),
    Row("a=1; Domain=..example.com", "a=1, domain .example.com"),
    Row("a=1; Domain=a.com; Domain=b.com", "a=1, domain b.com"),
    Row("a=1; Domain", "a=1, domain "),
    Row("a=1; Path=/x", "a=1, path /x"),
    Row("a=1; Path=x", "a=1, path "),
    Row("a=1; Path", "a=1, path "),
    Row("a=1; Path=/x; Path=/y z", "a=1, path /y z"),
    Row("a=1; Path=/X%2fY", "a=1, path /X%2fY"),
    Row("a=1; SameSite=Strict", "a=1, strict"),
    Row("a=1; SameSite=LAX", "a=1, lax"),
    Row("a=1; SameSite=None", "a=1, crossSite"),
    Row("a=1; SameSite=crossSite", "a=1"),
    Row("a=1; SameSite=Lax; SameSite=odd", "a=1"),
    Row("a=1; Priority=High; Partitioned; x; =; y=z", "a=1"),
    Row("a=1; Path=/" + String(repeating: "p", count: 1_023), "a=1, path /" + String(repeating: "p", count: 1_023)),
    Row("a=1; Path=/ok; Path=/" + String(repeating: "p", count: 1_024), "a=1, path /ok"),
    Row("a=1; Domain=" + String(repeating: "d", count: 1_025), "a=1"),
  ]

  @Test(arguments: pairs) private func `name and value are taken apart`(row: Row) {
    #expect(reading(row.input) == row.output)
  }

  @Test(arguments: attributes) private func `attributes are understood`(row: Row) {
    #expect(reading(row.input) == row.output)
  }

  @Test func `bytes that are no UTF-8 stay what they were`() throws {
    let field = try #require(SetCookie([0x61, 0x3D, 0xE9, 0xFF]))
    let origin = try CookieOrigin("https://example.com/")
    let cookie = try #require(Cookie(field, from: origin, at: cookieNow, publicSuffixes: .builtIn))
    #expect(cookie.value == "éÿ")
    #expect(cookie.pair == [0x61, 0x3D, 0xE9, 0xFF])
  }
}
