import BrewTips
import Foundation
import NetCore
import NetURLSession
import TestSupport
import Testing

@testable import BrewTipsBackend

/// What the server answers.
@Suite(.timeLimit(.minutes(1))) struct BackendTests {
  /// Noon of 2026-12-01, UTC.
  private static let noon = Date(timeIntervalSince1970: 1_796_126_400)

  @Test func `the tip stays the same all day in UTC, and is another the next day`() async throws {
    var texts: [String] = []
    for seconds in [-43_200.0, 0, 43_199, 43_200] {
      try await Backend.asking(now: { Self.noon + seconds }) { ask in
        let answer = try await ask(.get, "/tips/today")
        #expect(answer.status == .ok)
        #expect(answer.fields[.contentType] == "application/json")
        texts.append(answer.text)
      }
    }
    #expect(Set(texts[0...2]).count == 1)
    #expect(texts[3] != texts[2])
  }

  @Test func `every tip has its day before one comes again, and no two days in a row the same category`() {
    let calendar = TipCalendar.embedded
    let days = calendar.tips.indices.map { calendar.tip(on: Self.noon + TimeInterval($0) * 86_400) }
    #expect(Set(days.map(\.id)).count == calendar.tips.count)
    for (one, next) in zip(days, days.dropFirst()) { #expect(one.category != next.category) }
  }

  @Test(arguments: 1...50)
  func `a calendar of any size shows all of it`(count: Int) {
    let calendar = TipCalendar(tips: (1...count).map { Tip(id: $0, category: "", text: "") })
    let days = (0..<count).map { calendar.tip(on: Self.noon + TimeInterval($0) * 86_400).id }
    #expect(Set(days).count == count)
    #expect(calendar.tip(on: Date(timeIntervalSince1970: -1)).id == 1)
  }

  @Test func `the tips are thirty or more, all different, and each a sentence or two on one line`() {
    let tips = TipCalendar.embedded.tips
    #expect(tips.count >= 30)
    #expect(Set(tips.map(\.text)).count == tips.count)
    for tip in tips {
      #expect(!tip.category.isEmpty)
      #expect((20...130).contains(tip.text.count), "\(tip.text)")
      #expect(tip.text.hasSuffix("."), "\(tip.text)")
      #expect(!tip.text.contains("\n"))
    }
  }

  @Test(arguments: [(0.0, 3_600), (39_600, 3_600), (43_140, 60), (43_199, 1)])
  func `a tip is fresh until its day ends, an hour at most`(seconds: Double, age: Int) async throws {
    try await Backend.asking(now: { Self.noon + seconds }) { ask in
      let tip = try await ask(.get, "/tips/today")
      #expect(tip.fields[.cacheControl] == "max-age=\(age), stale-if-error=604800")
    }
  }

  @Test func `a tip that the client has is 304, another is sent`() async throws {
    try await Backend.asking(now: { Self.noon }) { ask in
      let tag = try #require(try await ask(.get, "/tips/today").fields[.eTag])
      for list in [tag, "W/\(tag)", "\"other\" , \(tag)", "*"] {
        let answer = try await ask(.get, "/tips/today", [.ifNoneMatch: list])
        #expect(answer.status == .notModified)
        #expect(answer.text.isEmpty)
        #expect(answer.fields[.eTag] == tag)
        #expect(answer.fields[.cacheControl] == "max-age=3600, stale-if-error=604800")
      }
      #expect(try await ask(.get, "/tips/today", [.ifNoneMatch: "\"other\""]).status == .ok)
    }
  }

  @Test(arguments: ["/tips/today", "/users", "/users/1"])
  func `HEAD is GET without the content`(path: String) async throws {
    try await Backend.asking(now: { Self.noon }) { ask in
      _ = try await ask.addUser("Ada")
      let (get, head) = (try await ask(.get, path), try await ask(.head, path))
      #expect(head.status == .ok)
      #expect(head.text.isEmpty)
      #expect(head.fields[.contentLength] == "\(get.text.utf8.count)")
      #expect(head.fields[.eTag] == get.fields[.eTag])
    }
  }

  @Test func `a user who was added has a number and a place, and is in the list`() async throws {
    try await Backend.asking { ask in
      #expect(try await ask(.get, "/users").text == "[]")
      let ada = try await ask.addUser("Ada Lovelace")
      #expect(ada.status == .created)
      #expect(ada.fields[.location] == "/users/1")
      #expect(ada.text == #"{"email":"ada@example.com","id":1,"name":"Ada Lovelace"}"#)
      let zoe = try await ask.addUser("Zoë 👩‍🔬", "z+tag@localhost")
      #expect(zoe.fields[.location] == "/users/2")

      #expect(try await ask(.get, "/users/2").text == zoe.text)
      let list = try await ask(.get, "/users")
      #expect(list.text == "[\(ada.text),\(zoe.text)]")
      #expect(list.fields[.cacheControl] == "no-store")
    }
  }

  @Test func `the feature's own services understand it`() async throws {
    try await Backend.asking { ask in
      let client = HTTPClient(baseURL: ask.url, transport: URLSessionTransport())
      let tip = try await RemoteBrewTipsService(client: client).tipOfTheDay()
      #expect(TipCalendar.embedded.tips.map(\.text).contains(tip.text))

      let users = RemoteUserService(client: client)
      let ada = try await users.createUser(name: "Ada", email: "ada@example.com")
      #expect(try await users.user(id: ada.id) == ada)
      #expect(try await users.users() == [ada])
      await #expect(throws: APIError.notFound) { try await users.user(id: 2) }
    }
  }

  private static let json = #"Send JSON such as {"name": "Ada", "email": "ada@example.com"}."#
  private static let noAddress = "The e-mail address is not one such as ada@example.com."
  private static let refused: [(content: String, status: HTTPResponse.Status, detail: String)] = [
    ("", 400, json), ("not JSON", 400, json), ("[]", 400, json), ("{}", 400, json),
    (#"{"name": "Ada"}"#, 400, json), (#"{"name": 7, "email": "ada@example.com"}"#, 400, json),
    (#"{"name": "Ada", "email": null}"#, 400, json),
    (#"{"name": " ", "email": "ada@example.com"}"#, 422, "The name is empty."),
    (#"{"name": "", "email": ""}"#, 422, "The name is empty. " + noAddress),
    (#"{"name": "A\u001b[2J", "email": "ada@example.com"}"#, 422, "The name has a character that cannot be shown."),
    (#"{"name": "A\u202eB", "email": "ada@example.com"}"#, 422, "The name has a character that cannot be shown."),
    (
      #"{"name": "\#(String(repeating: "a", count: 101))", "email": "ada@example.com"}"#, 422,
      "The name has more than 100 characters."
    ),
    (
      #"{"name": "A", "email": "\#(String(repeating: "a", count: 243))@example.com"}"#, 422,
      "The e-mail address has more than 254 bytes."
    ),
    (#"{"name": "Ada", "email": "ada"}"#, 422, noAddress), (#"{"name": "Ada", "email": "@b"}"#, 422, noAddress),
    (#"{"name": "Ada", "email": "a@b@c"}"#, 422, noAddress), (#"{"name": "Ada", "email": "a b@c"}"#, 422, noAddress),
    (#"{"name": "Ada", "email": "a@b\r\nBcc: c@d"}"#, 422, noAddress),
    (String(repeating: " ", count: 20_000), 413, "The content has more than 16384 bytes."),
  ]

  @Test(arguments: refused)
  func `what is no user is refused with all that is wrong`(
    content: String, status: HTTPResponse.Status, detail: String
  ) async throws {
    try await Backend.asking { ask in
      let answer = try await ask(.post, "/users", [.contentType: "application/json"], body: content)
      #expect(answer.status == status)
      #expect(answer.fields[.contentType] == "application/problem+json")
      let problem = try JSONDecoder().decode(ProblemDetails.self, from: Data(answer.text.utf8))
      #expect(problem.detail == detail)
      #expect(problem.status == status.code)
      #expect(try await ask(.get, "/users").text == "[]")
    }
  }

  @Test(arguments: ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a/json"])
  func `content that a foreign web page may send unasked is refused`(type: String) async throws {
    try await Backend.asking { ask in
      let answer = try await ask(
        .post, "/users", [.contentType: type], body: #"{"name": "Ada", "email": "ada@example.com"}"#)
      #expect(answer.status == .unsupportedMediaType)
    }
  }

  @Test(arguments: [
    ("evil.example", "421"), ("127.0.0.1.evil.example", "421"), ("LOCALHOST:80", "200"), ("[::1]", "200"),
  ])
  func `another host's name is refused: a foreign web page uses it`(host: String, status: String) async throws {
    try await Backend.asking { ask in
      let curl = try await ChildProcess.run(
        ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Host: \(host)", "\(ask.url)/users"])
      #expect(curl.text == status)
    }
  }

  private static let elsewhere: [(HTTPRequest.Method, String, HTTPResponse.Status, String?)] = [
    (.get, "/", 404, nil), (.get, "/tips", 404, nil), (.post, "/tips/tomorrow", 404, nil), (.get, "/users/1", 404, nil),
    (.get, "/users/1/name", 404, nil), (.get, "/users/ada", 404, nil), (.get, "/users/01", 404, nil),
    (.get, "/users/99999999999999999999", 404, nil), (.delete, "/users/1", 405, "GET, HEAD"),
    (.put, "/users", 405, "GET, HEAD, POST"), (.post, "/tips/today", 405, "GET, HEAD"),
    (.options, "/users", 405, "GET, HEAD, POST"), ("BREW", "/tips/today", 405, "GET, HEAD"),
  ]

  @Test(arguments: elsewhere)
  func `what is not there is 404, what it cannot do is 405 with what it can`(
    method: HTTPRequest.Method, path: String, status: HTTPResponse.Status, allow: String?
  ) async throws {
    try await Backend.asking { ask in
      let answer = try await ask(method, path)
      #expect(answer.status == status)
      #expect(answer.fields[.allow] == allow)
      #expect(answer.fields[.contentType] == "application/problem+json")
    }
  }

  @Test func `the log has a line for each request, without its query`() async throws {
    let log = RecordedLog()
    try await Backend.asking(log: log, now: { Self.noon }) { ask in
      _ = try await ask(.get, "/tips/today?token=SECRET")
      _ = try await ask(.delete, "/users")
      _ = try await ask.addUser("")
      _ = try await ask(.get, "/" + String(repeating: "a", count: 1_000))
    }
    let lines = log.requests
    try #require(lines.count == 4)
    let first = lines[0].wholeMatch(of: #/2026-12-01T12:00:00Z GET /tips/today 200 \d+\.\d ms/#)
    #expect(first != nil)
    #expect(lines[1].contains(" DELETE /users 405 "))
    #expect(lines[2].contains(" POST /users 422 "))
    #expect(lines[3].count < 300)
    #expect(log.warnings.isEmpty)
  }
}
