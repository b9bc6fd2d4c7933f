import Foundation
import NetCore
import NetTesting
import NetURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private struct Tip: Decodable, Equatable {
  var tip: String
}

private struct User: Codable, Equatable {
  var id: Int
  var name: String
}

/// What a tutorial of a networking layer tests with URLProtocol, in parallel.
@Suite(.stubs, .timeLimit(.minutes(1))) struct StubSessionTests {
  private let client = sessionClient()

  private func tip() async throws -> Tip {
    try await client.send(Endpoint(path: "tips/today"))
  }

  @Test func `a tip is decoded`() async throws {
    stub(.get, "/v1/tips/today").reply(.json(#"{"tip": "Rinse the filter."}"#))
    #expect(try await tip() == Tip(tip: "Rinse the filter."))
    #expect(Stubs.current.requests.first?.fields[.accept]?.contains("application/json") == true)
  }

  @Test func `status 500 is an error`() async throws {
    stub(.get, "/v1/tips/today").reply(.json(#"{"message": "Out of beans."}"#, status: 500))
    let error = await #expect(throws: APIError.self) { try await tip() }
    #expect(error == .badStatus(500))
    #expect(error?.serverMessage?.text == "Out of beans.")
  }

  @Test(arguments: [#"{"tip": "#, #"{"tip": 7}"#, "not JSON", "[]"])
  func `a body of another form is a decoding error`(body: String) async throws {
    stub(.get, "/v1/tips/today").reply(.json(body))
    await #expect(throws: APIError.decoding) { try await tip() }
  }

  @Test func `query items arrive as they were given`() async throws {
    stub(.get, "/v1/search").query("q", "crème & sugar+").query("page", "2").reply(.text("found"))
    let found: String = try await client.send(Endpoint(path: "search", query: ["q": "crème & sugar+", "page": 2]))
    #expect(found == "found")
    #expect(Stubs.current.requests.first?.url.query() == "q=cr%C3%A8me%20%26%20sugar%2B&page=2")
  }

  @Test func `users are decoded`() async throws {
    stub(.get, "/v1/users").reply(.json(#"[{"id": 1, "name": "Ada"}, {"id": 2, "name": "Mary"}]"#))
    let users: [User] = try await client.send(Endpoint(path: "users"))
    #expect(users == [User(id: 1, name: "Ada"), User(id: 2, name: "Mary")])
  }

  @Test func `a posted body is seen by the reply`() async throws {
    stub(.post, "/v1/users").reply { .json($0.text, status: .created) }
    let mary = User(id: 2, name: "Mary")
    let reply = try await client.reply(to: Endpoint<User>(.post, path: "users", body: .encoded(mary)))
    #expect(reply.value == mary)
    #expect(reply.status == .created)
    #expect(Stubs.current.requests.first?.fields[.contentType] == "application/json")
  }

  @Test func `a posted file is seen by the reply`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "stub-\(UUID()).txt")
    try Data(repeating: UInt8(ascii: "x"), count: 200_000).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    stub(.put, "/v1/files/1").reply { .text("\($0.body.count)") }
    let body = try RequestBody.stream(HTTPBody(file: file), contentType: nil)
    let count: String = try await client.send(Endpoint(.put, path: "files/1", body: body))
    #expect(count == "200000")
  }

  @Test(arguments: [
    TransportFailure.nameResolution, .connectionRefused, .offline, .connectionLost, .malformed, .proxy, .other,
    .tls(.expired), .tls(.untrusted), .tls(.clientCertificate), .tls(.handshake), .timedOut(.idle), .timedOut(.connect),
    .unreachable,
  ])
  func `an injected failure comes out as it went in`(failure: TransportFailure) async throws {
    stub(.get, "/v1/tips/today").fail(APIError.transport(failure))
    await #expect(throws: APIError.transport(failure)) { try await tip() }
  }

  @Test func `a session's own error is passed on`() async throws {
    stub(.get, "/v1/tips/today").fail(URLError(.timedOut))
    let error = await #expect(throws: APIError.self) { try await tip() }
    #expect(error?.isTimeout == true)
    let sessionError = await #expect(throws: URLError.self) {
      try await Stubs.current.session.load(URLRequest("/tips/today"))
    }
    #expect(sessionError?.code == .timedOut)
  }

  @Test func `a body cut short is an error`() async throws {
    let body = ScriptedBody()
    body.send(#"{"tip": "Rin"#)
    body.fail(APIError.transport(.truncated))
    stub(.get, "/v1/tips/today").reply(HTTPResponse(body: body.body))
    await #expect(throws: APIError.transport(.truncated)) { try await tip() }
  }

  @Test func `a delayed reply comes when its time has come`() async throws {
    let clock = TestClock()
    Stubs.current.timeSource = clock.timeSource
    stub(.get, "/v1/tips/today").reply(.json(#"{"tip": "Patience."}"#), after: .seconds(3_600))
    async let tip = tip()
    try await clock.waitForSleepers(1, within: .seconds(50))
    clock.advance(by: .seconds(3_600))
    #expect(try await tip == Tip(tip: "Patience."))
  }

  @Test func `a cancelled call ends at once, and its reply with it`() async throws {
    stub(.get, "/v1/tips/today").hang()
    let call = Task { try await tip() }
    while Stubs.current.requests.isEmpty, !Task.isCancelled { await Task.yield() }
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
  }

  @Test func `a redirect is the response`() async throws {
    stub(.get, "/v1/old").reply(.status(302, fields: [.location: "/v1/new"]))
    let (_, response) = try await Stubs.current.session.load(URLRequest("/old"))
    #expect(response.statusCode == 302)
    var call = Endpoint<Void>(path: "old")
    call.redirects = .never
    await #expect(throws: APIError.badStatus(302)) { try await client.send(call) }
  }

  @Test func `a streamed body comes chunk by chunk`() async throws {
    let body = ScriptedBody()
    stub(.get, "/v1/feed").reply(HTTPResponse(body: body.body))
    let response = try await client.open(Endpoint<Void>(path: "feed"))
    var chunks = response.body.makeAsyncIterator()
    for chunk in ["one", "two", "three"] {
      body.send(chunk)
      #expect(try await chunks.next() == Data(chunk.utf8))
    }
    body.finish()
    #expect(try await chunks.next() == nil)
  }

  @Test func `fields come back, several of a name as a session joins them`() async throws {
    let fields: HTTPFields = ["X-Trace": "7", .setCookie: "a=1", .setCookie: "b=2; Path=/"]
    stub(.get, "/v1/a").reply(.status(.ok, fields: fields))
    let reply = try await client.reply(to: Endpoint<Void>(path: "a"))
    #expect(reply.fields["X-Trace"] == "7")
    #expect(reply.fields[values: .setCookie] == ["a=1", "b=2; Path=/"])
  }

  @Test func `HEAD has no body`() async throws {
    stub(.head, "/v1/a").reply(.text("left out"))
    #expect(try await client.send(Endpoint(.head, path: "a"), as: String.self).isEmpty)
  }
}
