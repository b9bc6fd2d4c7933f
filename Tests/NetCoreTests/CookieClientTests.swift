import Foundation
import NetTesting
import Synchronization
import Testing

@testable import NetCore

private let call = Endpoint<String>(path: "a")

/// Sees that a call joined the exchange of another.
private final class Joined: CallObserver {
  private let flag = Atomic(false)

  var hasJoined: Bool { flag.load(ordering: .relaxed) }

  func observe(_ event: CallEvent) {
    if case .coalesced = event.kind { flag.store(true, ordering: .relaxed) }
  }
}

/// A jar in a client, over transports that are stubs.
@Suite(.timeLimit(.minutes(1))) struct CookieClientTests {
  private let clock = TestClock()
  private let jar: CookieJar

  init() {
    jar = CookieJar(timeSource: clock.timeSource)
  }

  private func client(
    _ transport: any HTTPTransport, _ configure: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) -> HTTPClient {
    makeClient(transport) { configuration in
      configuration.timeSource = clock.timeSource
      configuration.cookies = jar
      configuration.retry.maximumAttempts = 3
      configuration.retry.backoff = .none
      configure(&configuration)
    }
  }

  /// Answers each attempt with the next response, the last one for ever; sets `sid` to the number of the request.
  private func server(_ statuses: HTTPResponse.Status...) -> ClosureTransport {
    let count = Atomic(0)
    return ClosureTransport { _ in
      let number = count.add(1, ordering: .relaxed).newValue
      return .text("ok", status: statuses[min(number, statuses.count) - 1], fields: [.setCookie: "sid=\(number)"])
    }
  }

  private func cookies(_ transport: ClosureTransport) -> [String?] {
    transport.requests.map { $0.fields[.cookie] }
  }

  @Test func `a call carries what the one before was given`() async throws {
    let transport = server(.ok)
    let client = client(transport)
    for _ in 1...3 { try await client.send(call) }
    #expect(cookies(transport) == [nil, "sid=1", "sid=2"])
  }

  @Test func `without a jar nothing is kept`() async throws {
    let transport = server(.ok)
    let client = makeClient(transport)
    for _ in 1...2 { try await client.send(call) }
    #expect(cookies(transport) == [nil, nil])
  }

  @Test func `the cookies of a 503 are set, and the repetition carries them`() async throws {
    let transport = server(503, 503, .ok)
    try await client(transport).send(call)
    #expect(cookies(transport) == [nil, "sid=1", "sid=2"])
    #expect(try await jar.sent(to: "https://api.example.com/v1/") == "sid=3")
  }

  @Test func `the cookies of a 401 are set, and the replay carries them`() async throws {
    let transport = ClosureTransport { request in
      request.fields[.authorization] == "Bearer new"
        ? .text("ok") : .status(.unauthorized, fields: [.setCookie: "sid=1; Path=/"])
    }
    let authenticator = BearerAuthenticator(
      store: MemoryCredentialStore(BearerCredentials(accessToken: "old")), origins: [exampleURL]
    ) { _ in BearerCredentials(accessToken: "new") }
    try await client(transport) { $0.authenticator = authenticator }.send(call)
    #expect(cookies(transport) == [nil, "sid=1"])
  }

  /// Leads from `a` to `b`, to another origin, and back to `d`; each hop sets a cookie.
  private func maze() -> ClosureTransport {
    ClosureTransport { request in
      let (next, cookie) =
        switch request.path {
        case "/v1/a": ("/v1/b", "a=1; Path=/")
        case "/v1/b": ("https://other.example.org/c", "b=2; Path=/")
        case "/c": ("https://api.example.com/v1/d", "c=3; Path=/")
        default: ("", "d=4; Path=/")
        }
      return next.isEmpty
        ? .text("ok", fields: [.setCookie: cookie]) : .status(302, fields: [.location: next, .setCookie: cookie])
    }
  }

  @Test func `each hop of a redirect sets cookies, and carries those of its own place`() async throws {
    let transport = maze()
    await jar.set("o=0", from: "https://other.example.org/")
    try await client(transport).send(call)
    #expect(cookies(transport) == [nil, "a=1", "o=0", "a=1; b=2"])
    #expect(try await jar.sent(to: "https://other.example.org/") == "o=0; c=3")
  }

  @Test func `a Cookie field of the caller's own does not leave its origin, where the jar takes over`() async throws {
    let transport = maze()
    var own = call
    own.fields = [.cookie: "mine=1"]
    await jar.set("o=0", from: "https://other.example.org/")
    try await client(transport).send(own)
    #expect(cookies(transport) == ["mine=1", "mine=1", "o=0", "a=1; b=2"])
  }

  @Test func `the cookies of a call that fails are set too`() async throws {
    await #expect(throws: APIError.notFound) { try await client(server(.notFound)).send(call) }
    #expect(try await jar.sent(to: "https://api.example.com/v1/") == "sid=1")
  }

  @Test func `the cookies of a response that is read as it arrives are set with its head`() async throws {
    let response = try await client(server(.ok)).open(call)
    #expect(try await jar.sent(to: "https://api.example.com/v1/") == "sid=1")
    response.body.discard()
  }

  @Test func `the cookies of a body that is too large are set all the same`() async throws {
    let client = client(server(.ok)) { $0.maximumBodySize = 1 }
    await #expect(throws: APIError.self) { try await client.send(call) }
    #expect(try await jar.sent(to: "https://api.example.com/v1/") == "sid=1")
  }

  @Test func `a Cookie field of the caller's own is sent alone, in every attempt`() async throws {
    let transport = server(503, .ok)
    await jar.set("sid=0", "theme=dark", from: "https://api.example.com/v1/")
    var own = call
    own.fields = [.cookie: "mine=1"]
    try await client(transport).send(own)
    #expect(cookies(transport) == ["mine=1", "mine=1"])
    #expect(transport.requests.map { $0.fields[values: .cookie].count } == [1, 1])
    #expect(try await jar.sent(to: "https://api.example.com/v1/") == "sid=2; theme=dark")
  }

  @Test func `default fields may be the caller's own too`() async throws {
    let transport = server(.ok)
    await jar.set("sid=0", from: "https://api.example.com/v1/")
    try await client(transport) { $0.defaultFields = [.cookie: "mine=1"] }.send(call)
    #expect(cookies(transport) == ["mine=1"])
  }

  @Test func `all cookies stand in one field`() async throws {
    let transport = server(.ok)
    await jar.set("a=1", "b=2", from: "https://api.example.com/v1/")
    try await client(transport).send(call)
    #expect(transport.requests.map { $0.fields[values: .cookie] } == [["a=1; b=2"]])
  }

  @Test func `a cookie that ended while the client waited is not sent again`() async throws {
    let transport = ClosureTransport { .text("ok", status: $0.attempt == 1 ? 503 : .ok) }
    await jar.set("short=1; Max-Age=5", "long=1", from: "https://api.example.com/v1/")
    async let answer = client(transport) { $0.retry.backoff = .constant(.seconds(10)) }.send(call)
    try await clock.waitForSleeper(until: .seconds(10))
    clock.advance(by: .seconds(10))
    #expect(try await answer == "ok")
    #expect(cookies(transport) == ["short=1; long=1", "long=1"])
  }

  @Test func `signing sees the cookies that are sent, and each answer is the network's`() async throws {
    let transport = server(503, .ok)
    let client = client(transport) { configuration in
      configuration.attemptMiddlewares = [
        .intercepting { request, context, next in
          var request = request
          request.fields["X-Signed"] = request.fields[.cookie] ?? "none"
          return try await next.send(request, context: context)
        }
      ]
    }
    try await client.send(call)
    #expect(transport.requests.map { $0.fields["X-Signed"] } == ["none", "sid=1"])
  }

  /// A stage where the cache will be: above the retries, below the jar.
  @Test func `an answer that is given without the network sets nothing`() async throws {
    let stored = HTTPResponse.text("stored", fields: [.setCookie: "sid=stored"])
    let chain = ClosureTransport { _ in .text("never") }.behind([
      CookieAttachment(jar: jar), .intercepting { _, _, _ in stored }, CookieReception(jar: jar),
    ])
    let response = try await chain.send(HTTPRequest(url: exampleURL), context: RequestContext())
    #expect(response.fields[.setCookie] == "sid=stored")
    #expect(await jar.all.isEmpty)
  }

  @Test func `a cache sees the cookies of a request`() async throws {
    await jar.set("sid=1", from: "https://api.example.com/v1/")
    let seen = Mutex<[String?]>([])
    let cache = ClosureMiddleware { request, context, next in
      seen.withLock { $0.append(request.fields[.cookie]) }
      return try await next.send(request, context: context)
    }
    let chain = server(.ok).behind([CookieAttachment(jar: jar), cache, CookieReception(jar: jar)])
    let url = exampleURL.appending(path: "a")
    for _ in 1...2 { _ = try await chain.send(HTTPRequest(url: url), context: RequestContext()) }
    #expect(seen.withLock { $0 } == ["sid=1", "sid=1"])
  }

  /// What a cache that stood above would store: an answer to cookies it did not see must match no request.
  @Test(arguments: [
    CookieRow("Cookie", "Cookie, *"), CookieRow("Accept, COOKIE", "Accept, COOKIE, *"), CookieRow("Accept", "Accept"),
  ])
  func `an answer to renewed cookies that varies on them varies on everything`(
    row: CookieRow<String, String>
  ) async throws {
    let transport = ClosureTransport { request in
      request.attempt == 1
        ? .status(503, fields: [.setCookie: "sid=1"]) : .text("ok", fields: [.vary: row.input, .setCookie: "sid=1"])
    }
    let client = client(transport)
    #expect(try await client.reply(to: call).fields[.vary] == row.output)
  }

  @Test func `an answer to the cookies that a cache saw is left as it is`() async throws {
    await jar.set("sid=1", from: "https://api.example.com/v1/")
    let transport = ClosureTransport { request in
      request.attempt == 1 ? .status(503) : .text("ok", fields: [.vary: "Cookie"])
    }
    #expect(try await client(transport).reply(to: call).fields[.vary] == "Cookie")
  }

  @Test func `equal calls share one exchange, whatever the jar has`() async throws {
    let gate = Promise<Void>()
    let joined = Joined()
    let transport = ClosureTransport { _ in
      try await gate.value()
      return .text("ok")
    }
    let client = client(transport) { configuration in
      configuration.coalescesCalls = true
      configuration.observers = [joined]
    }
    async let first = client.send(call)
    try await waitUntil { !transport.requests.isEmpty }
    await jar.set("sid=0", from: "https://api.example.com/v1/")
    async let second = client.send(call)
    try await waitUntil { joined.hasJoined }
    gate.fulfill(.success(()))
    #expect(try await [first, second] == ["ok", "ok"])
    #expect(cookies(transport) == [nil])
  }

  @Test func `two clients may share a jar`() async throws {
    let (one, other) = (server(.ok), server(.ok))
    try await client(one).send(call)
    try await client(other).send(call)
    #expect(cookies(other) == ["sid=1"])
  }

  @Test func `nothing of a cookie's value is logged or said in an error`() async throws {
    let sink = MemorySink()
    await jar.set("sid=s3cret-1", from: "https://api.example.com/v1/")
    let transport = ClosureTransport { _ in .text("no", status: 500, fields: [.setCookie: "sid=s3cret-2"]) }
    let error = try await apiError {
      try await client(transport) { $0.observers = [HTTPLog(level: .debug, sink: sink)] }.send(call)
    }
    #expect(!"\(sink.text) \(error) \(error.debugDescription)".contains("s3cret"))
  }
}
