import Foundation
import Testing

@testable import NetCore

@Suite(.timeLimit(.minutes(1))) struct CookieMatchingTests {
  private typealias Pair = CookieRow<String, Bool>

  /// Section 5.1.3: host and domain.
  private static let domains = [
    Pair("example.com example.com", true),
    Pair("www.example.com example.com", true),
    Pair("a.b.example.com example.com", true),
    Pair("example.com www.example.com", false),
    Pair("badexample.com example.com", false),
    Pair("example.com.evil.org example.com", false),
    Pair("example.org example.com", false),
    Pair("example.com com", true),
    Pair("example.com .com", false),
    Pair("example.com ample.com", false),
    Pair("127.0.0.1 127.0.0.1", true),
    Pair("127.0.0.1 0.0.1", false),
    Pair("1.127.0.0.1 127.0.0.1", false),
    Pair("a.0x7f 0x7f", false),
    Pair("::1 ::1", true),
    Pair("::ffff:1.2.3.4 2.3.4", false),
    Pair("1.example.com example.com", true),
  ]

  @Test(arguments: domains) private func `a host matches its domain and those above`(row: Pair) {
    let parts = row.input.split(separator: " ").map(String.init)
    #expect(CookieDomain.matches(parts[0], parts[1]) == row.output)
  }

  /// Section 5.1.4: request path and cookie path.
  private static let paths = [
    Pair("/ /", true),
    Pair("/a /", true),
    Pair("/a /a", true),
    Pair("/a/ /a", true),
    Pair("/a/b /a", true),
    Pair("/a/b /a/", true),
    Pair("/ab /a", false),
    Pair("/a /a/", false),
    Pair("/A /a", false),
    Pair("/ /a", false),
    Pair("/a%2Fb /a", false),
    Pair("/a\u{301} /a", false),
    Pair("/a?x /a", false),
  ]

  @Test(arguments: paths) private func `a path matches itself and those below`(row: Pair) {
    let parts = row.input.split(separator: " ").map(String.init)
    #expect(CookiePath.matches(parts[0], parts[1]) == row.output)
  }

  /// Section 5.1.4: what a cookie without a path gets.
  private static let defaults = [
    CookieRow("https://example.com", "/"),
    CookieRow("https://example.com/", "/"),
    CookieRow("https://example.com/a", "/"),
    CookieRow("https://example.com/a/", "/a"),
    CookieRow("https://example.com/a/b", "/a"),
    CookieRow("https://example.com/a/b/c?d=/e/f#/g", "/a/b"),
    CookieRow("https://example.com//", "/"),
    CookieRow("https://example.com/a%2Fb/c", "/a%2Fb"),
    CookieRow("https://example.com?a=/b/c", "/"),
  ]

  @Test(arguments: defaults) private func `the default path is the request's without its end`(
    row: CookieRow<String, String>
  ) throws {
    #expect(try CookieOrigin(row.input).defaultPath == row.output)
  }

  private static let hosts = [
    CookieRow<String, String?>("https://EXAMPLE.com/", "example.com secure"),
    CookieRow("http://example.com:8080/", "example.com"),
    CookieRow("HTTPS://example.com./", "example.com secure"),
    CookieRow("http://localhost/", "localhost secure"),
    CookieRow("http://app.localhost/", "app.localhost secure"),
    CookieRow("http://localhost.example.com/", "localhost.example.com"),
    CookieRow("http://mylocalhost/", "mylocalhost"),
    CookieRow("http://127.0.0.1/", "127.0.0.1 address secure"),
    CookieRow("http://127.8.9.10/", "127.8.9.10 address secure"),
    CookieRow("http://127.example.com/", "127.example.com"),
    CookieRow("http://128.0.0.1/", "128.0.0.1 address"),
    CookieRow("http://[::1]:80/", "::1 address secure"),
    CookieRow("https://[2001:DB8::1]/", "2001:db8::1 address secure"),
    CookieRow("http://xn--bcher-kva.example/", "xn--bcher-kva.example"),
    CookieRow("http://a_b.example/", "a_b.example"),
    CookieRow("http://ex%61mple.com/", nil),
    CookieRow("http://example..com../", nil),
    CookieRow("file:///tmp/", nil),
    CookieRow("http://\(String(repeating: "a.", count: 130))com/", nil),
  ]

  @Test(arguments: hosts) private func `hosts are compared in one form`(row: CookieRow<String, String?>) throws {
    let origin = CookieOrigin(try #require(URL(string: row.input)))
    let text = origin.map { "\($0.host)\($0.isIPAddress ? " address" : "")\($0.isSecure ? " secure" : "")" }
    #expect(text == row.output)
  }
}
