import Foundation
import NetCore
import NetLoopback
import TestSupport
import Testing

/// The jar and curl's cookie engine, given the same fields: they must agree, but where it is said why not, by RFC 6265bis.
@Suite(.timeLimit(.minutes(1)), .enabled("curl is not there", { ChildProcess.isInstalled("curl") }))
struct CookiePeerTests {
  /// A field that a server at `url` sends; `name` in it stands for a name of its own.
  private struct Row: Sendable {
    let url: String
    let field: String
    /// Why curl does something else.
    let difference: String?

    init(_ url: String, _ field: String, differs difference: String? = nil) {
      (self.url, self.field, self.difference) = (url, field, difference)
    }
  }

  private static let (www, deep) = ("http://www.example.com/", "http://www.example.com/x/y")
  private static let rows = [
    Row(www, "name=1"),
    Row(www, "name="),
    Row(www, " name = 1 "),
    Row(www, "name=a=b"),
    Row(www, "name=\"a b\""),
    Row(www, "name=a, b"),
    Row(www, "name=é"),
    Row(www, "name=1;;; ;"),
    Row(www, "name=1; Unknown=2; Other"),
    Row(www, "name=1; HttpOnly"),
    Row(www, "name=1; httponly=no", differs: "an attribute is there whatever its value is (section 5.6.6)"),
    Row(www, "name=1; SameSite=Lax"),
    Row(www, "name=1; Secure"),
    Row("http://localhost/", "name=1; Secure"),
    Row("http://127.0.0.1/", "name=1; Secure"),
    Row(www, "__Secure-name=1"),
    Row("http://localhost/", "__Secure-name=1; Secure"),
    Row("http://localhost/", "__Host-name=1; Secure; Path=/"),
    Row("http://localhost/", "__Host-name=1; Secure; Path=/x"),
    Row(
      "http://localhost/", "__Host-name=1; Secure; Path=/; Domain=localhost",
      differs: "a server that is a public suffix itself gets a host-only cookie (section 5.7)"),
    Row(www, "__SECURE-name=1"),
    Row(deep, "name=1", differs: "the default path has no slash at its end (section 5.1.4)"),
    Row(deep, "name=1; Path=/"),
    Row(deep, "name=1; Path=/z"),
    Row(deep, "name=1; Path=z", differs: "a path that does not begin with a slash is the default (section 5.6.4)"),
    Row(deep, "name=1; Path=", differs: "an empty path is the default (section 5.6.4)"),
    Row(www, "name=1; Domain=example.com"),
    Row(www, "name=1; Domain=.example.com"),
    Row(www, "name=1; Domain=EXAMPLE.com"),
    Row(www, "name=1; Domain=www.example.com"),
    Row(www, "name=1; Domain=other.example.com"),
    Row(www, "name=1; Domain=example.org"),
    Row(www, "name=1; Domain=ample.com"),
    Row(www, "name=1; Domain="),
    Row(www, "name=1; Domain=com"),
    Row("http://www.example.co.uk/", "name=1; Domain=co.uk"),
    Row("http://www.example.co.uk/", "name=1; Domain=example.co.uk"),
    Row("http://me.github.io/", "name=1; Domain=github.io"),
    Row("http://127.0.0.1/", "name=1"),
    Row("http://127.0.0.1/", "name=1; Domain=0.0.1"),
    Row(www, "name=1; Max-Age=3600"),
    Row(www, "name=1; Max-Age=0"),
    Row(www, "name=1; Max-Age=-5"),
    Row(www, "name=1; Max-Age=3600; Expires=Thu, 01 Jan 1970 00:00:01 GMT"),
    Row(www, "name=1; Expires=Thu, 01 Jan 1970 00:00:01 GMT"),
    Row(www, "name=1; Expires=SOON"),
    Row(www, "name=1; Expires=never"),
    Row(www, "name=" + String(repeating: "v", count: 4_000)),
    Row(www, "name=" + String(repeating: "v", count: 4_100)),
    Row(www, "name", differs: "a value without a name is a cookie (section 5.6)"),
    Row(www, "name=a\tb", differs: "a tab may stand in a value (section 5.6)"),
    Row(deep, "name=1; Path=/x"),
    Row(www, "name=1; Max-Age=99999999", differs: "400 days at most (section 5.6.2)"),
    Row(www, "name=1; SameSite=None", differs: "SameSite=None must be Secure (section 5.7)"),
  ]

  @Test func `the jar keeps what curl keeps`() async throws {
    let soon = Date().addingTimeInterval(86_400)
    let rows = Self.rows.map {
      Row($0.url, $0.field.replacingOccurrences(of: "SOON", with: Self.date(soon)), differs: $0.difference)
    }
    let fields = rows.enumerated().map { $1.field.replacingOccurrences(of: "name", with: "n\($0)-") }
    let jar = CookieJar()
    for (row, field) in zip(rows, fields) {
      await jar.setCookies(from: [.setCookie: field], for: try #require(URL(string: row.url)))
    }
    let folder = try TemporaryFolder()
    let theirs = try await Self.curl(rows.map(\.url), receiving: fields, into: folder.path("cookies"))
    let ours = await jar.all.map(Kept.init)
    for (number, row) in rows.enumerated() {
      let isMeant = { (kept: Kept) in (kept.name.isEmpty ? kept.value : kept.name).contains("n\(number)-") }
      let (our, their) = (ours.filter(isMeant), theirs.filter(isMeant))
      #expect(our.count <= 1)
      #expect((our == their) == (row.difference == nil), "\(row.field.prefix(80)): \(our), curl \(their)")
    }
  }

  /// What is kept of a cookie, as both sides tell it.
  private struct Kept: Equatable {
    var name: String
    var value: String
    var domain: String
    var path: String
    var isSecure: Bool
    var isHTTPOnly: Bool
    /// In hours, since both look at the clock a little apart; `nil` for a session's.
    var hours: Int?

    init(_ cookie: Cookie) {
      (name, value, path) = (cookie.name, cookie.value, cookie.path)
      domain = cookie.isHostOnly ? cookie.domain : ".\(cookie.domain)"
      (isSecure, isHTTPOnly) = (cookie.isSecure, cookie.isHTTPOnly)
      hours = cookie.expiry.map { Int(($0.timeIntervalSinceNow / 3_600).rounded()) }
    }

    /// A line of curl's file.
    init?(_ line: Substring) {
      let isHTTPOnly = line.hasPrefix("#HttpOnly_")
      let parts = line.dropFirst(isHTTPOnly ? 10 : 0).split(separator: "\t", omittingEmptySubsequences: false)
      guard parts.count == 7, !line.hasPrefix("# "), let expiry = Double(parts[4]) else { return nil }
      (name, value, domain, path) = (String(parts[5]), String(parts[6]), parts[0].lowercased(), String(parts[2]))
      (isSecure, self.isHTTPOnly) = (parts[3] == "TRUE", isHTTPOnly)
      hours =
        expiry == 0 ? nil : Int((Date(timeIntervalSince1970: expiry).timeIntervalSinceNow / 3_600).rounded())
    }
  }

  @Test(arguments: [
    "http://www.example.com/", "http://www.example.com/x", "http://www.example.com/x/y", "http://www.example.com/xy",
    "http://example.com/", "http://other.example.com/x/", "http://badexample.com/", "http://www.example.co.uk/z",
    "http://localhost/", "http://127.0.0.1/", "http://127.0.0.2/",
  ])
  func `the jar sends what curl sends`(target: String) async throws {
    let folder = try TemporaryFolder()
    let file = folder.path("cookies")
    let jar = CookieJar()
    let rows = Self.rows.filter { $0.difference == nil }
    let fields = rows.enumerated().map { $1.field.replacingOccurrences(of: "name", with: "n\($0)-") }
    for (row, field) in zip(rows, fields) {
      await jar.setCookies(from: [.setCookie: field], for: try #require(URL(string: row.url)))
    }
    _ = try await Self.curl(rows.map(\.url), receiving: fields, into: file)
    let theirs = try await LoopbackServer.with {
      .text($0.fields[.cookie] ?? "")
    } run: { server in
      let outcome = try await ChildProcess.run(
        ["curl", "-q", "-s", "-S", "-b", file] + Self.connecting(to: server) + [target])
      #expect(outcome.status == 0, "\(outcome.errors)")
      return outcome.text.components(separatedBy: "; ").filter { !$0.isEmpty }
    }
    let ours = await jar.cookies(for: try #require(URL(string: target))).map { "\($0.name)=\($0.value)" }
    #expect(Set(ours).symmetricDifference(theirs).isEmpty)
  }

  private static func connecting(to server: LoopbackServer) -> [String] {
    ["--noproxy", "*", "--connect-to", "::127.0.0.1:\(server.port)"]
  }

  /// What curl keeps when it gets from each URL the field of the same place.
  private static func curl(
    _ urls: [String], receiving fields: [String], into file: String
  ) async throws -> [Kept] {
    try await LoopbackServer.with { request in
      let number = request.rawQuery.flatMap { Int($0) } ?? 0
      return LoopbackResponse(fields: [.setCookie: fields[number]])
    } run: { server in
      let transfers = urls.enumerated().flatMap { ["-o", "/dev/null", "\($1)?\($0)"] }
      let outcome = try await ChildProcess.run(
        ["curl", "-q", "-s", "-S", "-c", file] + connecting(to: server) + transfers)
      #expect(outcome.status == 0, "\(outcome.errors)")
      return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").compactMap(Kept.init)
    }
  }

  private static func date(_ date: Date) -> String {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return format.string(from: date)
  }
}
