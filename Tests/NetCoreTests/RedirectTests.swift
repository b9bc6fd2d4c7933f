import Foundation
import NetTesting
import Synchronization
import Testing

@testable import NetCore

/// A request that came, in one line.
private func line(_ request: RecordedRequest) -> String {
  "\(request.method) \(request.url.absoluteString)"
}

private func redirect(_ status: HTTPResponse.Status = .found, to location: String) -> HTTPResponse {
  .text("gone", status: status, fields: [.location: location])
}

/// Servers by the URL that is asked for; a path they do not know answers with itself.
private func servers(_ answers: [String: HTTPResponse]) -> ClosureTransport {
  ClosureTransport { answers[$0.url.absoluteString] ?? .text($0.path) }
}

/// A stream that ends when a call has joined another.
private struct Joining: CallObserver {
  private let ends = AsyncStream.makeStream(of: Void.self)

  var stream: AsyncStream<Void> { ends.stream }

  func observe(_ event: CallEvent) {
    if case .coalesced = event.kind { ends.continuation.finish() }
  }
}

/// Redirects through a client, without a network.
@Suite(.timeLimit(.minutes(1))) struct RedirectTests {
  private let one = servers(["https://api.example.com/v1/a": redirect(to: "/v1/b?key=1")])

  @Test func `a client follows redirects as it comes, and the answer knows how it was come by`() async throws {
    let transport = servers([
      "https://api.example.com/v1/a": redirect(.movedPermanently, to: "b#part"),
      "https://api.example.com/v1/b": redirect(to: "https://b.example/c?token=secret"),
    ])
    let reply = try await makeClient(transport).reply(to: Endpoint<String>(path: "a"))
    #expect(reply.value == "/c")
    #expect(reply.url?.absoluteString == "https://b.example/c?token=secret#part")
    #expect(reply.info.redirects.map(\.status) == [301, 302])
    #expect(
      reply.info.redirects.map(\.from.absoluteString) == [
        "https://api.example.com/v1/a", "https://api.example.com/v1/b#part",
      ])
    #expect(reply.info.redirects.last?.to == reply.url)
    #expect(reply.info.attempts == 3)
    #expect(transport.requests.map(line).last == "GET https://b.example/c?token=secret")
    #expect(transport.requests.map(\.attempt) == [1, 2, 3])
    #expect(transport.requests.allSatisfy { $0.url.fragment() == nil })
  }

  @Test func `printing an exchange shows no secret of its redirects`() async throws {
    let transport = servers(["https://api.example.com/v1/a": redirect(to: "/b?token=secret#secret")])
    let info = try await makeClient(transport).reply(to: Endpoint<String>(path: "a")).info
    var dumped = ""
    dump(info, to: &dumped)
    for text in ["\(info)", String(reflecting: info), dumped] { #expect(!text.contains("secret")) }
    #expect("\(info)".contains("302 Found: https://api.example.com/v1/a → https://api.example.com/b?token=<redacted>"))
  }

  @Test func `without a redirect nothing is said of one`() async throws {
    let reply = try await makeClient(one).reply(to: Endpoint<String>(path: "x"))
    #expect(reply.info.redirects.isEmpty)
    #expect(reply.url?.absoluteString == "https://api.example.com/v1/x")
  }

  @Test func `a client or a call that follows none has the redirect as its answer`() async throws {
    var call = Endpoint<String>(path: "a")
    let never = makeClient(one) { $0.redirects = .never }
    #expect(try await apiError { try await never.send(call) }.kind == .otherStatus(302))
    call.redirects = .standard
    #expect(try await never.send(call) == "/v1/b")
    call.redirects = .never
    call.validation = .statuses([302])
    let reply = try await makeClient(one).reply(to: call)
    #expect(reply.value == "gone")
    #expect(reply.fields[.location] == "/v1/b?key=1")
  }

  @Test func `a redirect that is refused fails the call with its response, and says so`() async throws {
    let transport = servers([
      "https://api.example.com/v1/a": redirect(to: "b"),
      "https://api.example.com/v1/b": redirect(to: "http://h/?k=secret"),
    ])
    let error = try await apiError { try await makeClient(transport).send(Endpoint<String>(path: "a")) }
    #expect(error == .redirect(.downgrade))
    #expect(error.status == 302)
    #expect(error.response?.fields[.location] == "http://h/?k=secret")
    #expect(error.response?.body == Data("gone".utf8))
    #expect(error.attempts == 2)
    #expect(error.mayHaveReachedServer)
    #expect(error.redirects.count == 1)
    #expect(error.errorDescription == "The server's answer could not be understood.")
    #expect(
      error.debugDescription.contains(
        "APIError.redirect(.downgrade): The server redirects from https to http://h/?k=<redacted>"))
    #expect(
      error.debugDescription.contains(
        "redirect: 302 Found: https://api.example.com/v1/a → https://api.example.com/v1/b"))
    #expect(!error.debugDescription.contains("secret"))
  }

  @Test func `a failure after a redirect tells where it came from, and that a server has seen the call`() async throws {
    let transport = ClosureTransport { request in
      guard request.path != "/v1/orders" else { return redirect(.seeOther, to: "https://b.example/receipt") }
      throw APIError.transport(.connectionRefused)
    }
    let order = Endpoint<String>(.post, path: "orders", body: .text("beans"))
    let refused = try await apiError { try await makeClient(transport).send(order) }
    #expect(refused.kind == .transport(.connectionRefused))
    #expect(refused.mayHaveReachedServer, "the order may stand: sending it again is not safe")
    #expect(refused.attempts == 2)
    #expect(refused.redirects.map(\.to.absoluteString) == ["https://b.example/receipt"])

    let missing = ClosureTransport { $0.path == "/v1/a" ? redirect(to: "b") : .status(404) }
    let error = try await apiError { try await makeClient(missing).send(Endpoint<String>(path: "a")) }
    #expect(error.kind == .notFound)
    #expect(error.redirects.count == 1)
  }

  @Test func `the caller's review changes, stops and fails redirects`() async throws {
    func client(_ review: @escaping @Sendable (HTTPRequest, Redirect) throws -> HTTPRequest?) -> HTTPClient {
      makeClient(one) { $0.redirects.review = review }
    }
    let call = Endpoint<String>(path: "a")
    let changed = client { request, redirect in
      var request = request
      request.url = try #require(URL(string: "https://cdn.example/\(redirect.status.code)#x"))
      request.fields["X-CDN"] = redirect.from.lastPathComponent
      return request
    }
    let reply = try await changed.reply(to: call)
    #expect(reply.value == "/302")
    #expect(reply.url?.absoluteString == "https://cdn.example/302#x")
    #expect(reply.info.redirects.first?.to == reply.url)
    #expect(one.requests.last?.fields["X-CDN"] == "a")
    #expect(try await apiError { try await client { _, _ in nil }.send(call) }.kind == .otherStatus(302))
    await #expect(throws: CancellationError.self) { try await client { _, _ in throw CancellationError() }.send(call) }
  }

  @Test func `events and the log tell of each redirect`() async throws {
    let sink = MemorySink()
    let client = makeClient(one) { $0.observers = [HTTPLog(level: .debug, sink: sink)] }
    try await client.send(Endpoint<String>(path: "a"))
    #expect(sink.text.contains("↪ 302 Found, on to https://api.example.com/v1/b?key=<redacted>"))
    #expect(sink.messages.count { $0.contains("→ GET") } == 2)
    let url = try #require(URL(string: "https://a/?key=secret"))
    let event = CallEvent.Kind.redirected(Redirect(status: 302, from: url, to: url))
    #expect("\(event)".contains("https://a/?key=<redacted> → https://a/?key=<redacted>"))
  }

  @Test func `default fields go to the origin of the base URL alone`() async throws {
    let transport = servers([
      "https://api.example.com/v1/a": redirect(to: "b"),
      "https://api.example.com/v1/b": redirect(to: "https://b.example/c"),
      "https://b.example/c": redirect(to: "https://api.example.com/v1/d"),
    ])
    let client = makeClient(transport) { $0.defaultFields = ["X-API-Key": "secret", .acceptLanguage: "de"] }
    try await client.send(Endpoint<String>(path: "a"))
    #expect(transport.requests.map { $0.fields["X-API-Key"] } == ["secret", "secret", nil, nil])
    #expect(transport.requests.allSatisfy { $0.fields[.acceptLanguage] == "de" })
  }

  @Test func `the body of a redirect is given up before the next request, so that one place is enough`() async throws {
    let bodies = (0...2).map { _ in ScriptedBody() }
    let transport = ClosureTransport { request in
      let number = try #require(Int(request.path.dropFirst(4)))
      #expect(bodies.map(\.isCancelled) == (0...2).map { $0 < number })
      guard number < 3 else { return .text("there") }
      return HTTPResponse(status: 302, fields: [.location: "\(number + 1)"], body: bodies[number].body)
    }
    let response = try await makeClient(transport).open(Endpoint<String>(path: "0"))
    #expect(try await response.body.collect(upTo: 100) == Data("there".utf8))
    #expect(transport.requests.count == 4)
  }

  @Test func `a redirect that is refused leaves no body open`() async throws {
    let body = ScriptedBody()
    let transport = ClosureTransport { _ in
      HTTPResponse(status: 302, fields: [.location: "ftp://h/"], body: body.body)
    }
    let error = try await apiError { try await makeClient(transport).open(Endpoint<String>(path: "a")) }
    #expect(error == .redirect(.unsupportedScheme))
    #expect(body.isCancelled)
  }

  @Test func `each request of a chain has its own retries, and all that failed is told`() async throws {
    let clock = TestClock()
    let failures = Mutex(["/v1/a": 2, "/v1/b": 2, "/v1/c": 1])
    let transport = ClosureTransport { request in
      let fails = failures.withLock { failures in
        failures[request.path, default: 0] -= 1
        return failures[request.path, default: 0] >= 0
      }
      if fails { return .status(503) }
      switch request.path {
      case "/v1/a": return redirect(to: "b")
      case "/v1/b": return redirect(to: "c")
      default: return .text("there")
      }
    }
    let client = makeClient(transport) {
      $0.retry = .standard
      $0.retry.backoff = .constant(.seconds(1))
      $0.timeSource = clock.timeSource
    }
    let call = Task { try await client.reply(to: Endpoint<String>(path: "a")) }
    for second in 1...5 {
      try await clock.waitForSleeper(until: .seconds(second))
      clock.advance(by: .seconds(1))
    }
    let info = try await call.value.info
    #expect(info.attempts == 8)
    #expect(info.failures.map(\.number) == [1, 2, 4, 5, 7])
    #expect(info.failures.map(\.began) == (0...4).map { .seconds($0) })
    #expect(transport.requests.map(\.attempt) == Array(1...8))
  }

  @Test func `calls that share an exchange share its redirects`() async throws {
    let joining = Joining()
    let transport = ClosureTransport { request in
      guard request.path == "/v1/a" else { return .text("there") }
      for await _ in joining.stream {}
      return redirect(to: "b")
    }
    let client = makeClient(transport) {
      $0.coalescesCalls = true
      $0.observers = [joining]
    }
    async let first = client.reply(to: Endpoint<String>(path: "a"))
    async let second = client.reply(to: Endpoint<String>(path: "a"))
    let replies = try await [first, second]
    #expect(replies.map(\.value) == ["there", "there"])
    #expect(replies.map(\.info.redirects.count) == [1, 1])
    #expect(transport.requests.count == 2)
  }

  @Test func `a call with a policy of its own shares nothing`() {
    var context = RequestContext(delivery: .collected(upTo: 100))
    #expect(FlightKey(HTTPRequest(url: exampleURL), context) != nil)
    context.redirectPolicy = .standard
    #expect(FlightKey(HTTPRequest(url: exampleURL), context) == nil)
  }

  @Test func `the samples of the documentation work as written`() async throws {
    var configuration = HTTPClient.Configuration(baseURL: exampleURL)
    configuration.redirects.maximumCount = 5
    configuration.redirects.portableFields.insert("X-API-Version")
    configuration.redirects.review = { request, redirect in
      redirect.to.host()?.hasSuffix(".example.com") == true ? request : nil
    }
    let transport = servers([
      "https://api.example.com/v1/a": redirect(to: "https://cdn.example.com/b"),
      "https://cdn.example.com/b": redirect(to: "https://evil.example/c"),
    ])
    var endpoint = Endpoint<String>(path: "a")
    endpoint.fields["X-API-Version"] = "2"
    endpoint.validation = .anyStatus
    #expect(try await HTTPClient(configuration, transport: transport).send(endpoint) == "gone")
    #expect(transport.requests.map { $0.fields["X-API-Version"] } == ["2", "2"])
    endpoint.redirects = .never
    #expect(try await HTTPClient(configuration, transport: transport).send(endpoint) == "gone")
    #expect(transport.requests.count == 3)
  }

  @Test func `a request for a token is not redirected, since its body is a secret`() async throws {
    let transport = ClosureTransport { _ in redirect(.temporaryRedirect, to: "https://evil.example/token") }
    let grant = ClientCredentialsGrant(
      tokenURL: exampleURL.appending(path: "token"), client: OAuthClient(id: "app", secret: "secret"),
      network: makeClient(transport))
    await #expect(throws: APIError.self) { try await grant.renew(nil) }
    #expect(transport.requests.count == 1)
  }
}
