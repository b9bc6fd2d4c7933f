import Foundation
import Testing

@testable import NetCore

/// Which cookies a server may set, and what becomes of them (RFC 6265bis, section 5.7).
@Suite(.timeLimit(.minutes(1))) struct CookieReceivingTests {
  /// A URL and a field of its answer; the domain (with a dot when hosts below it match too) and the path of the cookie.
  private struct Row: CustomTestStringConvertible {
    let url: String
    let field: String
    let place: String?

    init(_ url: String, _ field: String, _ place: String?) {
      (self.url, self.field, self.place) = (url, field, place)
    }

    var testDescription: String { "\(url) \(field.displayable(upTo: 80))" }
  }

  private static let places = [
    Row("https://example.com/", "a=1", "example.com/"),
    Row("https://www.example.com/x/y", "a=1", "www.example.com/x"),
    Row("https://www.example.com/", "a=1; Domain=example.com", ".example.com/"),
    Row("https://www.example.com/", "a=1; Domain=.EXAMPLE.com", ".example.com/"),
    Row("https://example.com/", "a=1; Domain=example.com", ".example.com/"),
    Row("https://example.com/", "a=1; Domain=www.example.com", nil),
    Row("https://www.example.com/", "a=1; Domain=example.org", nil),
    Row("https://www.example.com/", "a=1; Domain=ample.com", nil),
    Row("https://www.example.com/", "a=1; Domain=", "www.example.com/"),
    Row("https://www.example.com/", "a=1; Domain=.", "www.example.com/"),
    Row("https://www.example.com/", "a=1; Domain=..example.com", nil),
    Row("https://www.example.com/", "a=1; Domain=éxample.com", nil),
    Row("https://www.example.com/", "a=1; Domain=example.com.", nil),
    Row("https://www.example.com/", "a=1; Domain=example.com; Domain=", "www.example.com/"),
    Row("https://www.example.com/", "a=1; Domain=com", nil),
    Row("https://www.example.co.uk/", "a=1; Domain=co.uk", nil),
    Row("https://www.example.co.uk/", "a=1; Domain=example.co.uk", ".example.co.uk/"),
    Row("https://me.github.io/", "a=1; Domain=github.io", nil),
    Row("https://github.io/", "a=1; Domain=github.io", "github.io/"),
    Row("http://intranet/", "a=1; Domain=intranet", "intranet/"),
    Row("http://192.168.0.1/", "a=1", "192.168.0.1/"),
    Row("http://192.168.0.1/", "a=1; Domain=192.168.0.1", ".192.168.0.1/"),
    Row("http://192.168.0.1/", "a=1; Domain=168.0.1", nil),
    Row("http://[::1]/", "a=1; Domain=::1", "::1/"),
    Row("https://example.com/x/y", "a=1; Path=/", "example.com/"),
    Row("https://example.com/x/y", "a=1; Path=/z", "example.com/z"),
    Row("https://example.com/x/y", "a=1; Path=z", "example.com/x"),
    Row("https://example.com/x/y", "a=1; Path=", "example.com/x"),
    Row("https://example.com/x/y", "a=1; Path=/z; Path=", "example.com/x"),
    Row("https://example.com/" + String(repeating: "p", count: 1_024) + "/", "a=1", nil),
  ]

  /// Secure connections (step 13), `SameSite=None` (step 19) and prefixes of names (steps 20 to 22).
  private static let promises = [
    Row("http://example.com/", "a=1; Secure", nil),
    Row("https://example.com/", "a=1; Secure", "example.com/"),
    Row("http://localhost/", "a=1; Secure", "localhost/"),
    Row("http://127.0.0.1:8080/", "a=1; Secure", "127.0.0.1/"),
    Row("https://example.com/", "a=1; SameSite=None", nil),
    Row("https://example.com/", "a=1; SameSite=None; Secure", "example.com/"),
    Row("https://example.com/", "a=1; SameSite=Lax", "example.com/"),
    Row("https://example.com/", "__Secure-a=1", nil),
    Row("https://example.com/", "__Secure-a=1; Secure", "example.com/"),
    Row("https://example.com/", "__SECURE-a=1", nil),
    Row("https://www.example.com/", "__Secure-a=1; Secure; Domain=example.com", ".example.com/"),
    Row("http://example.com/", "__Secure-a=1; Secure", nil),
    Row("https://example.com/", "__Host-a=1", nil),
    Row("https://example.com/", "__Host-a=1; Secure", nil),
    Row("https://example.com/", "__Host-a=1; Secure; Path=/", "example.com/"),
    Row("https://example.com/", "__host-a=1; Secure; Path=/", "example.com/"),
    Row("https://example.com/", "__host-a=1; Secure", nil),
    Row("https://example.com/", "__Host-a=1; Secure; Path=/a", nil),
    Row("https://example.com/", "__Host-a=1; Secure; Path=/; Domain=example.com", nil),
    Row("https://com/", "__Host-a=1; Secure; Path=/; Domain=com", "com/"),
    Row("https://example.com/", "__Host-", nil),
    Row("https://example.com/", "=__Host-a=1; Secure; Path=/", nil),
    Row("https://example.com/", "__Secure-a; Secure", nil),
    Row("https://example.com/", "__Secur=1", "example.com/"),
  ]

  @Test(arguments: places) private func `a cookie belongs to its server's domain and path`(row: Row) throws {
    let cookie = try Cookie(row.field, from: row.url)
    #expect(cookie.map { "\($0.isHostOnly ? "" : ".")\($0.domain)\($0.path)" } == row.place)
  }

  @Test(arguments: promises) private func `a name and a connection must be worth what they promise`(row: Row) throws {
    let cookie = try Cookie(row.field, from: row.url)
    #expect(cookie.map { "\($0.isHostOnly ? "" : ".")\($0.domain)\($0.path)" } == row.place)
  }

  /// When a cookie ends, in seconds from now; `nil` for a session's.
  private static let ages = [
    CookieRow<String, Double?>("a=1", nil),
    CookieRow("a=1; Max-Age=60", 60),
    CookieRow("a=1; Expires=Thu, 01 Jan 2026 00:01:00 GMT", 60),
    CookieRow("a=1; Expires=Thu, 01 Jan 2026 00:01:00 GMT; Max-Age=5", 5),
    CookieRow("a=1; Max-Age=5; Expires=Thu, 01 Jan 2026 00:01:00 GMT", 5),
    CookieRow("a=1; Max-Age=x; Expires=Thu, 01 Jan 2026 00:01:00 GMT", 60),
    CookieRow("a=1; Max-Age=999999999999", 34_560_000),
    CookieRow("a=1; Max-Age=34560000", 34_560_000),
    CookieRow("a=1; Expires=Fri, 31 Dec 9999 23:59:59 GMT", 34_560_000),
    CookieRow("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", -1_767_225_600),
    CookieRow("a=1; Expires=x", nil),
  ]

  @Test(arguments: ages) private func `a cookie lives so long, and 400 days at most`(
    row: CookieRow<String, Double?>
  ) throws {
    let cookie = try #require(try Cookie(row.input, from: "https://example.com/"))
    #expect(cookie.expiry?.timeIntervalSince(cookieNow) == row.output)
  }

  @Test(arguments: ["a=1; Max-Age=0", "a=1; Max-Age=-1", "a=1; Max-Age=-99999999999999999999"])
  func `a maximum age of zero and less is over`(field: String) throws {
    #expect(try #require(try Cookie(field, from: "https://example.com/")).hasExpired(at: cookieNow))
  }

  @Test func `what a field says is kept`() throws {
    let cookie = try #require(
      try Cookie("sid=s3cret; Secure; HttpOnly; SameSite=Strict; Path=/app", from: "https://example.com/"))
    #expect(cookie.name == "sid")
    #expect(cookie.value == "s3cret")
    #expect(cookie.isSecure && cookie.isHTTPOnly && cookie.isHostOnly)
    #expect(cookie.sameSite == .strict)
    #expect((cookie.creation, cookie.lastAccess) == (cookieNow, cookieNow))
    #expect(cookie.description == "sid=<redacted>; Host=example.com; Path=/app; Secure; HttpOnly; SameSite=strict")
    var dumped = ""
    dump([cookie], to: &dumped)
    #expect(!"\(cookie) \(String(reflecting: cookie)) \(dumped)".contains("s3cret"))
  }
}
