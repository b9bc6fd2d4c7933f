import Foundation
import Testing

@testable import NetCore

private struct Resolution: Sendable, CustomTestStringConvertible {
  let base: String
  let reference: String
  let target: String

  init(_ reference: String, _ target: String, base: String = "http://a/b/c/d;p?q") {
    (self.base, self.reference, self.target) = (base, reference, target)
  }

  var testDescription: String { "\"\(reference)\" from \(base)" }
}

/// What a `Location` leads to.
@Suite struct RedirectTargetTests {
  private static let normal = [
    Resolution("g:h", "g:h"), Resolution("g", "http://a/b/c/g"), Resolution("./g", "http://a/b/c/g"),
    Resolution("g/", "http://a/b/c/g/"), Resolution("/g", "http://a/g"), Resolution("//g", "http://g"),
    Resolution("?y", "http://a/b/c/d;p?y"), Resolution("g?y", "http://a/b/c/g?y"),
    Resolution("#s", "http://a/b/c/d;p?q#s"), Resolution("g#s", "http://a/b/c/g#s"),
    Resolution("g?y#s", "http://a/b/c/g?y#s"), Resolution(";x", "http://a/b/c/;x"),
    Resolution("g;x", "http://a/b/c/g;x"), Resolution("g;x?y#s", "http://a/b/c/g;x?y#s"),
    Resolution("", "http://a/b/c/d;p?q"), Resolution(".", "http://a/b/c/"), Resolution("./", "http://a/b/c/"),
    Resolution("..", "http://a/b/"), Resolution("../", "http://a/b/"), Resolution("../g", "http://a/b/g"),
    Resolution("../..", "http://a/"), Resolution("../../", "http://a/"), Resolution("../../g", "http://a/g"),
  ]

  private static let abnormal = [
    Resolution("../../../g", "http://a/g"), Resolution("../../../../g", "http://a/g"),
    Resolution("/./g", "http://a/g"), Resolution("/../g", "http://a/g"), Resolution("g.", "http://a/b/c/g."),
    Resolution(".g", "http://a/b/c/.g"), Resolution("g..", "http://a/b/c/g.."), Resolution("..g", "http://a/b/c/..g"),
    Resolution("./../g", "http://a/b/g"), Resolution("./g/.", "http://a/b/c/g/"),
    Resolution("g/./h", "http://a/b/c/g/h"), Resolution("g/../h", "http://a/b/c/h"),
    Resolution("g;x=1/./y", "http://a/b/c/g;x=1/y"), Resolution("g;x=1/../y", "http://a/b/c/y"),
    Resolution("g?y/./x", "http://a/b/c/g?y/./x"), Resolution("g?y/../x", "http://a/b/c/g?y/../x"),
    Resolution("g#s/./x", "http://a/b/c/g#s/./x"), Resolution("g#s/../x", "http://a/b/c/g#s/../x"),
    Resolution("http:g", "http:g"),
  ]

  /// Section 5.2 beyond its examples: empty paths, empty segments, dots of absolute references, and other cases.
  private static let beyond = [
    Resolution("g", "http://a/g", base: "http://a"), Resolution("?y", "http://a?y", base: "http://a"),
    Resolution("g", "http://a/g", base: "http://a?q"), Resolution("../g", "http://a/b//g", base: "http://a/b//c/d"),
    Resolution("x//../y", "http://a/b/c/x/y"), Resolution("http://h/x/../y", "http://h/y"),
    Resolution("//h/x/./y/..", "http://h/x/"), Resolution("HTTP://H/X", "http://H/X"),
    Resolution("https://h:8443", "https://h:8443"), Resolution("?", "http://a/b/c/d;p?"),
    Resolution("#", "http://a/b/c/d;p?q#"), Resolution("1:2", "http://a/b/c/1:2"), Resolution("/a:b", "http://a/a:b"),
    Resolution("%2e%2E/g", "http://a/b/c/%2e%2E/g"), Resolution("g?a#b#c", "http://a/b/c/g?a#b%23c"),
  ]

  @Test(arguments: normal + abnormal + beyond)
  private func `a reference is resolved as RFC 3986 does`(row: Resolution) {
    let base = URIReference(row.base.utf8)
    #expect(URIReference(row.reference.utf8).resolved(against: base).text == row.target)
  }

  @Test(
    arguments: [
      // RFC 9110, section 10.2.2: its two examples, and fragments on the way.
      Resolution("/People.html#tim", "http://www.example.org/People.html#tim", base: "http://www.example.org/~tim"),
      Resolution(
        "http://www.example.net/index.html", "http://www.example.net/index.html#larry",
        base: "http://www.example.org/index.html#larry"),
      Resolution("/x#", "http://a/x#", base: "http://a/b#old"),
      Resolution("?y", "http://a/b?y#old", base: "http://a/b#old"),
      // What careless servers send, as browsers take it.
      Resolution("/a b\"<>|^`{}\\", "http://a/a%20b%22%3C%3E%7C%5E%60%7B%7D%5C"), Resolution("/ü", "http://a/%C3%BC"),
      Resolution("/100%", "http://a/100%25"), Resolution("/%zz%41", "http://a/%25zz%41"),
      Resolution("?a[]=1", "http://a/b/c/d;p?a%5B%5D=1"), Resolution("/a\tb", "http://a/a%09b"),
      Resolution("/\u{301}?\u{301}#\u{301}", "http://a/%CC%81?%CC%81#%CC%81"),
      Resolution("/\\evil/x", "http://a/%5Cevil/x"),
      Resolution("//h:/x", "http://h:/x"), Resolution("http://[::1]:80/", "http://[::1]:80/"),
      Resolution("//h_1.example:65535", "http://h_1.example:65535"),
    ])
  private func `a Location leads to`(row: Resolution) throws {
    #expect(try target(row.reference, from: row.base)?.absoluteString == row.target)
  }

  @Test(
    arguments: [
      ("ftp://h/x", .unsupportedScheme), ("javascript:alert(1)", .unsupportedScheme),
      ("file:///etc/passwd", .unsupportedScheme),
      ("data:text/plain,x", .unsupportedScheme), ("g:h", .unsupportedScheme), ("http://u:p@h/", .userInfo),
      ("//u@h/", .userInfo), ("http://@h/", .userInfo), ("//h\\@evil/", .userInfo), ("http://h%40evil@x/", .userInfo),
      ("http:g", .invalidLocation), ("http:", .invalidLocation), ("http:///x", .invalidLocation),
      ("///x", .invalidLocation),
      ("http:/\\evil", .invalidLocation), ("//h\\evil/", .invalidLocation), ("//h%2eevil/", .invalidLocation),
      ("//bücher/", .invalidLocation), ("//h:99999/", .invalidLocation), ("//h:+80/", .invalidLocation),
      ("//h:8o/", .invalidLocation), ("//:80/", .invalidLocation), ("//[::1/", .invalidLocation),
      ("//[::1]80", .invalidLocation),
      ("//a b/", .invalidLocation), ("//h:80:90/", .invalidLocation), ("//\u{212A}elvin/", .invalidLocation),
      ("/" + String(repeating: "a", count: 20_000), .invalidLocation),
      ("/" + String(repeating: "ü", count: 8_000), .invalidLocation),
    ] as [(String, RedirectFailure)])
  func `a Location that must not be followed is refused`(location: String, failure: RedirectFailure) throws {
    let error = #expect(throws: APIError.self) { try target(location, from: "http://a/b") }
    #expect(error?.kind == .redirect(failure))
    #expect(error?.reason.contains("RedirectPolicy.never") == true)
  }

  @Test func `no Location and an empty one lead nowhere`() throws {
    #expect(try target([], from: "http://a/b") == nil)
    #expect(try target("", from: "http://a/b") == nil)
  }

  @Test func `the same Location twice is one, and two that differ are refused`() throws {
    #expect(try target(["/x", "/x"], from: "http://a/b")?.absoluteString == "http://a/x")
    #expect(throws: APIError.redirect(.invalidLocation)) { try target(["/x", "/y"], from: "http://a/b") }
  }

  @Test func `bytes that are no text are escaped as they are`() throws {
    var fields: HTTPFields = [:]
    fields.append(try #require(HTTPField(name: .location, bytes: Array("/caf".utf8) + [0xE9])))
    let chain = RedirectChain(HTTPRequest(url: try #require(URL(string: "http://a/b"))))
    #expect(try chain.target(of: HTTPResponse(status: 302, fields: fields))?.absoluteString == "http://a/caf%E9")
  }

  @Test func `a relative Location keeps an address with a zone`() throws {
    #expect(try target("/x", from: "http://[fe80::1%25eth0]:80/b")?.absoluteString == "http://[fe80::1%25eth0]:80/x")
  }

  private func target(_ location: String, from base: String) throws -> URL? {
    try target([location], from: base)
  }

  private func target(_ locations: [String], from base: String) throws -> URL? {
    var fields: HTTPFields = [:]
    fields[values: .location] = locations
    return try RedirectChain(HTTPRequest(url: try #require(URL(string: base))))
      .target(of: HTTPResponse(status: 302, fields: fields))
  }
}
