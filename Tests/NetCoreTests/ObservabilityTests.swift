import Foundation
import NetTesting
import Synchronization
import Testing

@testable import NetCore

private let call = Endpoint<Widget>(path: "widgets/1", name: "GetWidget")
private let widget = HTTPResponse.json(#"{"id": 1, "name": "a"}"#)

@Suite(.timeLimit(.minutes(1))) struct CallEventTests {
  private let clock = TestClock()
  private let recorder = EventRecorder()

  private func client(
    _ transport: any HTTPTransport, _ configure: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) -> HTTPClient {
    makeClient(transport) {
      $0.timeSource = clock.timeSource
      $0.observers = [recorder]
      configure(&$0)
    }
  }

  @Test func `a call tells its story from start to finish, with moments`() async throws {
    let timings = ExchangeInfo.Timings(firstByte: .milliseconds(5), total: .milliseconds(10), bytesReceived: 22)
    let transport = ClosureTransport { [clock] request in
      clock.advance(by: .milliseconds(10))
      if request.attempt == 1 { return .status(503) }
      var response = widget
      response.info.timings = timings
      return response
    }
    let client = client(transport) {
      $0.retry = .standard
      $0.retry.backoff = .none
    }
    _ = try await client.send(call)
    #expect(
      recorder.story == ["started 1", "request 1", "response 1", "retry 1", "request 2", "response 2", "finished 2"])
    #expect(recorder.events.map(\.elapsed) == [0, 0, 10, 10, 10, 20, 20].map { .milliseconds($0) })
    #expect(recorder.events.allSatisfy { $0.call == 1 && $0.endpointName == "GetWidget" && $0.trace == nil })
    let outcome = try #require(recorder.outcome)
    #expect(outcome.request?.url.path() == "/v1/widgets/1")
    #expect((outcome.status, outcome.bytesReceived) == (.ok, 22))
    #expect(outcome.error == nil)
    #expect(outcome.duration == .milliseconds(20))
    #expect((outcome.info?.attempts, outcome.info?.timings) == (2, timings))
  }

  @Test func `a body that is read as it arrives finishes the call with its bytes`() async throws {
    let scripted = ScriptedBody()
    let response = try await client(answering(HTTPResponse(body: scripted.body))).open(call)
    #expect(recorder.outcome == nil)
    clock.advance(by: .seconds(2))
    scripted.send("four")
    scripted.send("more")
    scripted.finish()
    _ = try await response.body.collect(upTo: 100)
    let outcome = try #require(recorder.outcome)
    #expect((outcome.bytesReceived, outcome.duration, outcome.status) == (8, .seconds(2), .ok))
    #expect(outcome.error == nil)
  }

  @Test func `a body that is dropped finishes the call as cancelled, with what was read`() async throws {
    let scripted = ScriptedBody()
    var response: HTTPResponse? = try await client(answering(HTTPResponse(body: scripted.body))).open(call)
    scripted.send("four")
    var iterator = response?.body.makeAsyncIterator()
    _ = try await iterator?.next()
    response = nil
    iterator = nil
    let outcome = try #require(recorder.outcome)
    #expect(outcome.bytesReceived == 4)
    #expect(outcome.error is CancellationError)
  }

  @Test func `a request that cannot be sent only finishes`() async throws {
    await #expect(throws: APIError.invalidURL) {
      try await client(answering(widget)).send(Endpoint<Widget>(path: "a/../b"))
    }
    #expect(recorder.story == ["finished 1"])
    #expect(recorder.outcome?.request == nil)
    #expect(recorder.outcome?.error as? APIError == .invalidURL)
  }

  @Test func `a refused status and a content that cannot be read are failures with their status`() async throws {
    await #expect(throws: APIError.notFound) { try await client(answering(.status(404))).send(call) }
    #expect(recorder.outcome?.status == 404)
    #expect(recorder.outcome?.error as? APIError == .notFound)
    await #expect(throws: APIError.decoding) { try await client(answering(.json("[]"))).send(call) }
    #expect((recorder.outcome?.status, recorder.outcome?.bytesReceived) == (200, 2))
    #expect(recorder.outcome?.error as? APIError == .decoding)
  }

  @Test func `waiting for credentials is told, before the request and after a refusal`() async throws {
    let store = MemoryCredentialStore(
      BearerCredentials(accessToken: "old", expiry: Date(timeIntervalSince1970: 0), account: "ann"))
    var settings = BearerAuthenticator.Settings()
    settings.timeSource = clock.timeSource
    let number = Mutex(0)
    let authenticator = BearerAuthenticator(store: store, origins: [exampleURL], settings: settings) { [clock] old in
      clock.advance(by: .milliseconds(7))
      return BearerCredentials(accessToken: "new\(number.withLock { $0 += 1; return $0 })")
    }
    let transport = ClosureTransport { $0.fields[.authorization] == "Bearer new2" ? widget : .status(401) }
    _ = try await client(transport) { $0.authenticator = authenticator }.send(call)
    #expect(
      recorder.story == [
        "started 1", "awaitedCredentials 1", "request 1", "response 1", "renewedCredentials 1", "request 2",
        "response 2", "finished 2",
      ])
  }

  @Test func `without observers no event is made`() {
    var made = 0
    func event() -> CallEvent.Kind {
      made += 1
      return .coalesced
    }
    var context = RequestContext()
    context.report(event())
    #expect(made == 0)
    context.events = EventEmitter(call: 1, observers: [recorder], timeSource: clock.timeSource)
    context.report(event())
    #expect(made == 1)
    #expect(EventEmitter(call: 1, observers: [], timeSource: clock.timeSource) == nil)
  }
}

@Suite(.timeLimit(.minutes(1))) struct NotRetriedTests {
  private let recorder = EventRecorder()

  private func failure(
    _ method: HTTPRequest.Method = .get, _ response: HTTPResponse, timeout: Duration? = nil,
    body: RequestBody = .none, _ configure: (inout RetryPolicy) -> Void = { _ in }
  ) async throws -> APIError {
    let client = makeClient(answering(response)) {
      $0.observers = [recorder]
      $0.retry = .standard
      $0.retry.backoff = .none
      configure(&$0.retry)
    }
    return try await apiError {
      try await client.send(Endpoint<Void>(method, path: "a", body: body, timeout: timeout))
    }
  }

  @Test func `a POST without a key`() async throws {
    let error = try await failure(.post, .status(503))
    #expect(error.whyNotRetried == "a POST without an Idempotency-Key may act twice")
    #expect(error.debugDescription.hasSuffix("\n  not retried: a POST without an Idempotency-Key may act twice"))
    #expect(recorder.story == ["started 1", "request 1", "response 1", "notRetried 1", "finished 1"])
  }

  @Test func `a body that can be sent only once`() async throws {
    let once = HTTPBody(length: 1, isReplayable: false) { AsyncStream { $0.finish() } }
    let request = HTTPRequest(method: .put, url: exampleURL, body: once)
    let situation = RetryPolicy.Situation(request: request, outcome: .success(.status(503)), attempt: 1, now: Date())
    #expect(RetryPolicy().refusal(in: situation) == "the body can be sent only once")
  }

  @Test func `the last attempt, a server that asks for too much, and a limit that ends before`() async throws {
    #expect(try await failure(.get, .status(503)).whyNotRetried == "it was attempt 3 of 3")
    let slow = try await failure(.get, .status(503, fields: [.retryAfter: "90"]))
    #expect(slow.whyNotRetried == "the server asks for a longer wait than 60 s")
    let late = try await failure(.get, .status(503, fields: [.retryAfter: "50"]))
    #expect(late.whyNotRetried == "the call's time limit ends before the wait of 50.00 s")
  }

  @Test func `a budget that is used up`() async throws {
    let error = try await failure(.get, .status(503)) { $0.budget = .init(share: 0, floor: 0) }
    #expect(error.whyNotRetried == "the retry budget of the host is used up")
  }

  @Test(arguments: [200, 404] as [HTTPResponse.Status])
  func `what no policy repeats needs no reason`(status: HTTPResponse.Status) async throws {
    let request = HTTPRequest(method: .post, url: exampleURL)
    let situation = RetryPolicy.Situation(request: request, outcome: .success(.status(status)), attempt: 1, now: Date())
    #expect(RetryPolicy().refusal(in: situation) == nil)
  }

  @Test func `without a policy there is none`() async throws {
    let error = try await failure(.post, .status(503)) { $0 = .never }
    #expect(error.whyNotRetried == nil)
    #expect(!error.debugDescription.contains("not retried"))
  }
}

@Suite(.timeLimit(.minutes(1))) struct ClientDescriptionTests {
  private struct Signing: HTTPMiddleware {
    let secret = "SECRET"

    func intercept(_ request: HTTPRequest, context: RequestContext, next: any HTTPTransport) async throws
      -> HTTPResponse
    {
      try await next.send(request, context: context)
    }
  }

  private struct Numbering: HTTPMiddleware, CustomStringConvertible {
    var description: String { "numbers requests\nfrom 1" }

    func intercept(_ request: HTTPRequest, context: RequestContext, next: any HTTPTransport) async throws
      -> HTTPResponse
    {
      try await next.send(request, context: context)
    }
  }

  @Test func `a bare client is a few lines`() {
    let client = HTTPClient(baseURL: exampleURL, transport: answering(widget))
    #expect(
      "\(client)" == """
        HTTPClient default: https://api.example.com/v1
          time limit: 30 s a call
          redirects: up to 20
          retry: never
          events: nobody watches
          collect: up to 10000000 bytes
          transport: ClosureTransport
        """)
  }

  @Test func `every stage says what it is, and nothing says a secret`() throws {
    let url = try #require(URL(string: "https://ann:SECRET@api.example.com/v1?key=SECRET"))
    var configuration = HTTPClient.Configuration(name: "production", baseURL: url)
    configuration.defaultFields = ["X-API-Key": "SECRET"]
    configuration.retry = .standard
    configuration.coalescesCalls = true
    configuration.attemptTimeout = .milliseconds(2500)
    configuration.authenticator = try BasicAuthenticator(user: "ann", password: "SECRET", origins: [url])
    configuration.tracing = Tracing()
    configuration.redirects.allowsDowngrade = true
    configuration.cookies = CookieJar()
    configuration.circuitBreaker = CircuitBreaker()
    configuration.rateLimit = RateLimit(10, per: .seconds(1), burst: 5)
    configuration.concurrencyLimit = ConcurrencyLimit(perHost: 6, total: 20)
    configuration.observers = [HTTPLog(level: .info), HTTPMetrics(sink: MemoryMetrics())]
    configuration.callMiddlewares = [Numbering()]
    configuration.attemptMiddlewares = [Signing()]
    let client = HTTPClient(configuration, transport: answering(widget))
    #expect(
      "\(client)" == """
        HTTPClient production: https://<redacted>@api.example.com/v1?key=<redacted>
          numbers requests from 1
          time limit: 30 s a call
          credential scope: nothing is shared between accounts
          coalesce: equal GET and HEAD calls share one exchange
          redirects: up to 20, also from https to http
          cookies: each request gets those of the jar
          retry: up to 3 attempts, exponential 0.5 s…30 s with full jitter, Retry-After up to 60 s, budget 20 % + 10
          authenticate: BasicAuthenticator(user: ann)
          cookies: an attempt after the first gets those set meanwhile
          trace: traceparent to https://api.example.com
          Signing
          circuit gate: an open circuit rejects before any wait
          rate: 10 each 1 s to a host, 5 at once, pauses up to 60 s, 1000 may wait
          concurrency: 6 at a time to a host, 20 in all, 1000 may wait
          rate gate: who waited for a place waits for a pause the server asked for meanwhile
          circuit breaker: opens at 50 % failures of 20 calls or more in 30 s, for 15 s, then 1 probe
          events: HTTPLog from info on, HTTPMetrics to MemoryMetrics
          attempt limit: 2.5 s
          collect: up to 10000000 bytes
          cookies: every response of the network may set some
          transport: ClosureTransport
        """)
    var dumped = ""
    dump(client, to: &dumped)
    dump(client.configuration, to: &dumped)
    #expect(!(dumped + String(reflecting: client)).contains("SECRET"))
  }

  @Test(
    arguments: [
      (.none, "no wait"), (.constant(.seconds(1)), "constant 1 s"),
      (.exponential(), "exponential 0.5 s…30 s with full jitter"),
      (
        .exponential(base: .milliseconds(200), factor: 3, maximum: .seconds(5), jitter: .none),
        "exponential 0.2 s…5 s by 3.0"
      ),
      (.exponential(jitter: .decorrelated), "exponential 0.5 s…30 s with decorrelated jitter"),
    ] as [(Backoff, String)])
  func `a backoff reads`(backoff: Backoff, text: String) {
    #expect("\(backoff)" == text)
  }

  @Test func `odd budgets are described too`() {
    #expect("\(RetryPolicy.Budget(share: .infinity))" == "unlimited")
    #expect("\(RetryPolicy.Budget(share: -1, floor: 0))" == "0 % + 0")
  }
}
