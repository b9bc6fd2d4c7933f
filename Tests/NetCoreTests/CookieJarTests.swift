import Foundation
import NetTesting
import Testing

@testable import NetCore

/// What a jar keeps and sends (RFC 6265bis, sections 5.7 and 5.8).
@Suite(.timeLimit(.minutes(1))) struct CookieJarTests {
  private let clock = TestClock()

  private func jar(perDomain: Int = 180, total: Int = 3_000, fieldSize: Int = 32_768) -> CookieJar {
    var limits = CookieJar.Limits()
    (limits.perDomain, limits.total, limits.fieldSize) = (perDomain, total, fieldSize)
    return CookieJar(limits: limits, timeSource: clock.timeSource)
  }

  // MARK: Sending

  /// What was set from where, and what a request to a URL carries.
  private struct Sending: CustomTestStringConvertible {
    let fields: [(url: String, field: String)]
    let url: String
    let sent: String?

    init(_ fields: [(String, String)], _ url: String, _ sent: String?) {
      (self.fields, self.url, self.sent) = (fields.map { (url: $0, field: $1) }, url, sent)
    }

    var testDescription: String { "\(fields.map(\.field)) to \(url)" }
  }

  private static let (www, root) = ("https://www.example.com/", "https://example.com/")
  private static let sendings = [
    Sending([(www, "a=1")], www, "a=1"),
    Sending([(www, "a=1")], "https://www.example.com/x/y?z", "a=1"),
    Sending([(www, "a=1")], "https://WWW.Example.Com", "a=1"),
    Sending([(www, "a=1")], "https://www.example.com:8443/", "a=1"),
    Sending([(www, "a=1")], "http://www.example.com/", "a=1"),
    Sending([(www, "a=1")], root, nil),
    Sending([(www, "a=1")], "https://a.www.example.com/", nil),
    Sending([(www, "a=1; Domain=example.com")], root, "a=1"),
    Sending([(www, "a=1; Domain=example.com")], "https://other.example.com/", "a=1"),
    Sending([(www, "a=1; Domain=example.com")], "https://badexample.com/", nil),
    Sending([(www, "a=1; Secure")], "http://www.example.com/", nil),
    Sending([("http://localhost:1/", "a=1; Secure")], "http://localhost:2/", "a=1"),
    Sending([("http://127.0.0.1/", "a=1; Domain=127.0.0.1")], "http://1.127.0.0.1/", nil),
    Sending([("http://[::1]/", "a=1")], "http://[::1]:8080/", "a=1"),
    Sending([(www, "a=1; Path=/x")], "https://www.example.com/x/y", "a=1"),
    Sending([(www, "a=1; Path=/x")], "https://www.example.com/xy", nil),
    Sending([("https://www.example.com/x/y", "a=1")], "https://www.example.com/x", "a=1"),
    Sending([("https://www.example.com/x/y", "a=1")], "https://www.example.com/", nil),
    Sending([(www, "v"), (www, "w=")], www, "v; w="),
    Sending([(www, "a=\"b c\", d")], www, "a=\"b c\", d"),
    // Longer paths first, then what was set earlier (section 5.8.3).
    Sending(
      [(www, "a=1"), (www, "b=2; Path=/x"), (www, "c=3"), (www, "d=4; Path=/x/y")],
      "https://www.example.com/x/y/z", "d=4; b=2; a=1; c=3"),
    Sending([(www, "a=1; Domain=example.com"), (www, "a=2"), (www, "b=3; Domain=example.com")], www, "a=1; a=2; b=3"),
    // The place of a cookie that is replaced stays.
    Sending([(www, "a=1"), (www, "b=2"), (www, "a=3")], www, "a=3; b=2"),
    Sending([(www, "a=1"), (www, "a=2; Path=/x")], "https://www.example.com/x", "a=2; a=1"),
    Sending([(www, "a=1"), (www, "A=2")], www, "a=1; A=2"),
    Sending([(www, "a=1"), (www, "a=; Max-Age=0")], www, nil),
    Sending([(www, "a=1"), (www, "a=; Max-Age=0; Path=/x")], www, "a=1"),
    Sending([(www, "a=1"), (www, "a=; Max-Age=0; Domain=example.com")], www, "a=1"),
    Sending([(www, "\u{E9}=1"), (www, "e\u{301}=2")], www, "\u{E9}=1; e\u{301}=2"),
    // A connection that is not secure leaves secure cookies alone (section 5.7, step 16).
    Sending([(www, "a=1; Secure"), ("http://www.example.com/", "a=2")], www, "a=1"),
    Sending([(www, "a=1; Secure"), ("http://www.example.com/", "a=; Max-Age=0")], www, "a=1"),
    Sending([(www, "a=1; Secure"), ("http://www.example.com/", "a=2; Domain=example.com")], www, "a=1"),
    Sending(
      [(www, "a=1; Secure; Domain=example.com"), ("http://x.example.com/", "a=2")], "https://x.example.com/", "a=1"),
    Sending(
      [(www, "a=1; Secure; Path=/x"), ("http://www.example.com/", "a=2; Path=/")],
      "https://www.example.com/x", "a=1; a=2"),
    Sending(
      [(www, "a=1; Secure; Path=/x"), ("http://www.example.com/", "a=2; Path=/x/y")],
      "https://www.example.com/x/y", "a=1"),
    Sending([(www, "a=1; Secure"), ("http://www.example.com/", "b=2")], www, "a=1; b=2"),
    Sending([(www, "a=1; Secure"), (www, "a=2")], "http://www.example.com/", "a=2"),
    Sending([(www, "a=1"), ("http://www.example.com/", "a=2")], www, "a=2"),
  ]

  @Test(arguments: sendings) private func `a request carries what is meant for it, in order`(row: Sending) async throws
  {
    let jar = jar()
    for (url, field) in row.fields { await jar.set(field, from: url) }
    #expect(try await jar.sent(to: row.url) == row.sent)
    let url = try #require(URL(string: row.url))
    #expect(await jar.cookies(for: url).map { String(decoding: $0.pair, as: UTF8.self) } == (row.sent.map(pairs) ?? []))
  }

  private func pairs(_ field: String) -> [String] {
    field.split(separator: "; ").map(String.init)
  }

  @Test func `bytes that are no UTF-8 go back as they came`() async throws {
    let jar = jar()
    let field = try #require(HTTPField(name: .setCookie, bytes: [0x61, 0x3D, 0xE9]))
    let url = try #require(URL(string: Self.www))
    await jar.setCookies(from: HTTPFields([field]), for: url)
    #expect(jar.field(for: url)?.bytes == [0x61, 0x3D, 0xE9])
  }

  @Test func `a field that would be too long leaves the last cookies out`() async throws {
    let jar = jar(fieldSize: 12)
    await jar.set("a=1", "b=2", "c=3", "d=4", from: Self.www)
    #expect(try await jar.sent(to: Self.www) == "a=1; b=2")
  }

  // MARK: Time

  @Test func `a cookie is there until the moment at which it ends`() async throws {
    let jar = jar()
    await jar.set("a=1; Max-Age=60", "b=2; Expires=Thu, 01 Jan 2026 00:02:00 GMT", "c=3", from: Self.www)
    clock.advance(by: .seconds(59))
    #expect(try await jar.sent(to: Self.www) == "a=1; b=2; c=3")
    clock.advance(by: .seconds(1))
    #expect(try await jar.sent(to: Self.www) == "b=2; c=3")
    clock.advance(by: .seconds(60))
    #expect(await jar.all.map(\.name) == ["c"])
    clock.advance(by: .seconds(500 * 86_400))
    #expect(try await jar.sent(to: Self.www) == "c=3")
  }

  @Test func `no cookie lives longer than 400 days`() async throws {
    let jar = jar()
    await jar.set("a=1; Max-Age=9999999999", from: Self.www)
    clock.advance(by: .seconds(400 * 86_400 - 1))
    #expect(try await jar.sent(to: Self.www) == "a=1")
    clock.advance(by: .seconds(1))
    #expect(try await jar.sent(to: Self.www) == nil)
  }

  @Test func `creation stays when a cookie is replaced, and use is noted`() async throws {
    let jar = jar()
    await jar.set("a=1", from: Self.www)
    clock.advance(by: .seconds(5))
    await jar.set("a=2", from: Self.www)
    clock.advance(by: .seconds(5))
    _ = await jar.cookies(for: try #require(URL(string: Self.www)))
    clock.advance(by: .seconds(5))
    let cookie = try #require(await jar.all.first)
    #expect(cookie.value == "2")
    #expect(cookie.creation == cookieNow)
    #expect(cookie.lastAccess == cookieNow + 10)
  }

  // MARK: Limits

  /// Which cookies are left of those that were set a second apart, in a domain with room for three.
  private static let evictions = [
    CookieRow(["a=1", "b=2", "c=3", "d=4"], "b c d"),
    CookieRow(["a=1", "b=2", "c=3", "a=5", "d=4"], "a c d"),
    CookieRow(["a=1; Secure", "b=2", "c=3", "d=4"], "a c d"),
    CookieRow(["a=1; Secure", "b=2; Secure", "c=3; Secure", "d=4; Secure"], "b c d"),
    CookieRow(["a=1; Secure", "b=2; Secure", "c=3; Secure", "d=4"], "a b c"),
    CookieRow(["a=1", "b=2; Max-Age=2", "c=3", "d=4", "e=5"], "c d e"),
    CookieRow(["a=1", "b=2", "c=3", "send", "b=2", "d=4"], "b c d"),
  ]

  @Test(arguments: evictions)
  private func `a domain that is full loses what is not secure first, then what was used least recently`(
    row: CookieRow<[String], String>
  ) async throws {
    let jar = jar(perDomain: 3)
    for field in row.input {
      if field == "send" { _ = try await jar.sent(to: Self.www) } else { await jar.set(field, from: Self.www) }
      clock.advance(by: .seconds(1))
    }
    #expect(await jar.all.map(\.name).sorted().joined(separator: " ") == row.output)
  }

  @Test func `a jar that is full loses what was used least recently, whoever's it is`() async throws {
    let jar = jar(total: 3)
    for host in ["a", "b", "c"] {
      await jar.set("\(host)=1; Secure", from: "https://\(host).example/")
      clock.advance(by: .seconds(1))
    }
    _ = try await jar.sent(to: "https://a.example/")
    clock.advance(by: .seconds(1))
    await jar.set("d=1", from: "https://d.example/")
    #expect(await jar.all.map(\.name) == ["a", "c", "d"])
  }

  @Test func `as it comes a jar keeps 180 cookies a domain and 3,000 in all`() async throws {
    let jar = CookieJar(timeSource: clock.timeSource)
    for number in 0..<200 { await jar.set("c\(number)=1", from: Self.www) }
    #expect(await jar.all.count == 180)
    for domain in 0..<18 {
      for batch in 0..<2 {
        let fields = HTTPFields(
          (0..<90).compactMap { HTTPField(name: .setCookie, value: "c\(batch)-\($0)=1") })
        await jar.setCookies(from: fields, for: try #require(URL(string: "https://d\(domain).example/")))
      }
    }
    #expect(await jar.all.count == 3_000)
  }

  @Test func `of one response no more fields are read than a domain has room for`() async throws {
    let jar = jar(perDomain: 2)
    await jar.set("a=1", "b=2", "c=3", from: Self.www)
    #expect(await jar.all.map(\.name) == ["a", "b"])
  }

  @Test(arguments: [0, -1]) func `a jar without room keeps nothing`(limit: Int) async throws {
    for jar in [jar(perDomain: limit), jar(total: limit), jar(fieldSize: limit)] {
      await jar.set("a=1", from: Self.www)
      #expect(try await jar.sent(to: Self.www) == nil)
    }
  }

  // MARK: The rest

  @Test func `cookies can be removed`() async throws {
    let jar = jar()
    await jar.set("a=1", "b=2", "c=3", from: Self.www)
    try await jar.remove(try #require(await jar.all.first { $0.name == "b" }))
    #expect(await jar.all.map(\.name) == ["a", "c"])
    try await jar.removeAll()
    #expect(await jar.all.isEmpty)
    #expect(try await jar.sent(to: Self.www) == nil)
  }

  @Test func `printing a jar shows how much it has, and no value`() async throws {
    let jar = jar()
    await jar.set("a=s3cret", "b=s3cret; Domain=example.com", from: Self.www)
    #expect("\(jar)" == "cookies: 2, domains: 2")
    var dumped = ""
    dump(jar, to: &dumped)
    var configuration = HTTPClient.Configuration(baseURL: exampleURL)
    configuration.cookies = jar
    dump(configuration, to: &dumped)
    #expect(!"\(String(reflecting: jar)) \(dumped)".contains("s3cret"))
  }

  @Test func `a jar of one's own list refuses its domains`() async throws {
    let jar = CookieJar(publicSuffixes: PublicSuffixes(list: "shared.example"), timeSource: clock.timeSource)
    await jar.set("a=1; Domain=shared.example", "b=2; Domain=me.shared.example", from: "https://me.shared.example/")
    #expect(await jar.all.map(\.name) == ["b"])
  }

  @Test func `many tasks may use one jar`() async throws {
    let jar = CookieJar()
    await withTaskGroup { group in
      for number in 0..<8 {
        group.addTask {
          for round in 0..<50 {
            await jar.set("c\(number)=\(round)", from: Self.www)
            _ = await jar.cookies(for: URL(string: Self.www)!)
          }
        }
      }
    }
    #expect(await jar.all.map(\.value) == Array(repeating: "49", count: 8))
  }
}
