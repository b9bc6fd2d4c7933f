import Foundation
import NetTesting
import Synchronization
import Testing

@testable import NetCore

@Suite(.timeLimit(.minutes(1))) struct AuthenticationTests {
  @Test func `a request carries the token`() async throws {
    let signedIn = SignedInClient()
    #expect(try await signedIn.get() == "Bearer token-1")
    #expect(signedIn.server.refreshes == 0)
  }

  @Test(arguments: [HTTPRequest.Method.get, .post, .patch, .delete])
  func `after a 401 the token is refreshed and the request sent once more, whatever its method`(
    method: HTTPRequest.Method
  ) async throws {
    let signedIn = SignedInClient()
    signedIn.server.revoke()
    let endpoint = Endpoint<String>(method, path: "a", body: .text("content"))
    let reply = try await signedIn.client.reply(to: endpoint)
    #expect(reply.value == "Bearer token-2")
    #expect(reply.info.attempts == 2)
    #expect(signedIn.tokens == ["Bearer token-1", "Bearer token-2"])
    #expect(signedIn.transport.requests.map(\.text) == ["content", "content"])
    #expect(signedIn.store.load()?.refreshToken == "refresh-2")
    #expect(signedIn.store.load()?.account == "ann")
  }

  @Test func `a second 401 is the answer`() async throws {
    let signedIn = SignedInClient()
    let transport = answering(.json(#"{"message": "no"}"#, status: 401))
    let client = makeClient(transport) { $0.authenticator = signedIn.authenticator }
    let error = try await apiError { try await client.send(Endpoint<String>(path: "a")) }
    #expect(error == .unauthorized)
    #expect(error.serverMessage?.text == "no")
    #expect(transport.requests.compactMap { $0.fields[.authorization] } == ["Bearer token-1", "Bearer token-2"])
  }

  @Test func `a body that can be sent once is not sent again, but the next request has a new token`() async throws {
    let signedIn = SignedInClient()
    signedIn.server.revoke()
    let body = HTTPBody(isReplayable: false) { AsyncStream { $0.finish() } }
    let error = try await apiError {
      try await signedIn.client.send(Endpoint<Void>(.put, path: "a", body: .stream(body, contentType: nil)))
    }
    #expect(error == .unauthorized)
    #expect(signedIn.transport.requests.count == 1)
    #expect(try await signedIn.get() == "Bearer token-2")
  }

  @Test func `the body of a 401 is discarded before the refresh`() async throws {
    let signedIn = SignedInClient()
    let scripted = ScriptedBody()
    let wasDiscarded = Mutex(false)
    let authenticator = BearerAuthenticator(store: signedIn.store, origins: [exampleURL]) { old in
      wasDiscarded.withLock { $0 = scripted.isCancelled }
      return try signedIn.server.refresh(old)
    }
    let transport = ClosureTransport { request in
      request.fields[.authorization] == "Bearer token-2"
        ? .text("done") : HTTPResponse(status: .unauthorized, body: scripted.body)
    }
    let client = makeClient(transport) { $0.authenticator = authenticator }
    let response = try await client.open(Endpoint<Void>(path: "a"))
    #expect(try await response.body.collect(upTo: 10) == Data("done".utf8))
    #expect(wasDiscarded.withLock { $0 })
  }

  @Test(arguments: [
    ("https://api.example.com/v1", true), ("https://API.example.com:443/other", true),
    ("https://api.example.com", true), ("https://api.example.com?q=1", true), ("http://api.example.com", false),
    ("https://api.example.com:8443", false), ("https://example.com", false),
    ("https://api.example.com.evil.org", false), ("https://evil.org/https://api.example.com", false),
  ])
  func `only declared origins get the token`(url: String, isSigned: Bool) async throws {
    let signedIn = SignedInClient()
    let transport = answering(.text("ok"))
    let client = makeClient(transport) { $0.authenticator = signedIn.authenticator }
    _ = try await client.send(Endpoint(url: try #require(URL(string: url))), as: String.self)
    #expect(transport.requests[0].fields[.authorization] == (isSigned ? "Bearer token-1" : nil))
  }

  @Test func `a 401 of an undeclared origin refreshes nothing`() async throws {
    let signedIn = SignedInClient()
    let url = try #require(URL(string: "https://elsewhere.example.com"))
    await #expect(throws: APIError.unauthorized) { try await signedIn.client.send(Endpoint<String>(url: url)) }
    #expect(signedIn.tokens == [nil])
    #expect(signedIn.server.refreshes == 0)
  }

  @Test func `a request's own authorization is left alone`() async throws {
    let signedIn = SignedInClient()
    await #expect(throws: APIError.unauthorized) {
      try await signedIn.client.send(Endpoint<String>(path: "a", fields: [.authorization: "Bearer mine"]))
    }
    #expect(signedIn.tokens == ["Bearer mine"])
    #expect(signedIn.server.refreshes == 0)
  }

  @Test func `without credentials a request is sent as it is`() async throws {
    let signedIn = SignedInClient()
    try await signedIn.authenticator.signOut()
    await #expect(throws: APIError.unauthorized) { try await signedIn.get() }
    #expect(signedIn.tokens == [nil])
  }

  @Test func `shortly before its expiry a token is refreshed, not earlier`() async throws {
    let signedIn = SignedInClient(expiresIn: 100)
    signedIn.clock.advance(by: .seconds(69))
    #expect(try await signedIn.get() == "Bearer token-1")
    signedIn.clock.advance(by: .seconds(1))
    #expect(try await signedIn.get() == "Bearer token-2")
    #expect(signedIn.tokens == ["Bearer token-1", "Bearer token-2"])
  }

  /// A client whose new tokens live for so many seconds.
  private func renewing(_ server: TokenServer, _ clock: TestClock, lifetime: TimeInterval) -> HTTPClient {
    var settings = BearerAuthenticator.Settings()
    settings.timeSource = clock.timeSource
    let store = MemoryCredentialStore(server.credentials(expiry: .distantPast))
    let authenticator = BearerAuthenticator(store: store, origins: [exampleURL], settings: settings) { old in
      var new = try server.refresh(old)
      new.expiry = clock.timeSource.now.addingTimeInterval(lifetime)
      return new
    }
    return makeClient(ClosureTransport { try await server.answer($0) }) { $0.authenticator = authenticator }
  }

  @Test func `a token that lives for less than that is used for half of its life`() async throws {
    let (server, clock) = (TokenServer(), TestClock())
    let client = renewing(server, clock, lifetime: 10)
    #expect(try await client.send(Endpoint<String>(path: "a")) == "Bearer token-2")
    clock.advance(by: .milliseconds(4999))
    #expect(try await client.send(Endpoint<String>(path: "a")) == "Bearer token-2")
    clock.advance(by: .milliseconds(1))
    #expect(try await client.send(Endpoint<String>(path: "a")) == "Bearer token-3")
  }

  @Test func `a new token that has expired by this clock is used until the server refuses it`() async throws {
    let (server, clock) = (TokenServer(), TestClock())
    let client = renewing(server, clock, lifetime: -5)
    for _ in 1...3 { #expect(try await client.send(Endpoint<String>(path: "a")) == "Bearer token-2") }
    #expect(server.refreshes == 1)
  }

  @Test func `a caller's predicate refuses too, but repeats nothing that could act twice`() async throws {
    let signedIn = SignedInClient(settings: { $0.isRefusal = { $0.status == .forbidden } })
    let transport = ClosureTransport { request in
      request.fields[.authorization] == "Bearer token-1" ? .status(.forbidden) : .text("ok")
    }
    let client = makeClient(transport) { $0.authenticator = signedIn.authenticator }
    await #expect(throws: APIError.forbidden) { try await client.send(Endpoint<String>(.post, path: "a")) }
    #expect(transport.requests.count == 1)
    #expect(signedIn.server.refreshes == 1)
  }

  @Test func `a predicate's refusal of a GET is replayed`() async throws {
    let signedIn = SignedInClient(settings: { $0.isRefusal = { $0.status == .forbidden } })
    let transport = ClosureTransport { request in
      request.fields[.authorization] == "Bearer token-1" ? .status(.forbidden) : .text("ok")
    }
    let client = makeClient(transport) { $0.authenticator = signedIn.authenticator }
    #expect(try await client.send(Endpoint<String>(path: "a")) == "ok")
  }

  @Test func `each attempt is signed with the newest token`() async throws {
    let signedIn = SignedInClient()
    let transport = ClosureTransport { request in
      request.attempt == 1 ? .status(503) : .text(request.fields[.authorization] ?? "")
    }
    let client = makeClient(transport) {
      $0.authenticator = signedIn.authenticator
      $0.timeSource = signedIn.clock.timeSource
      $0.retry = .standard
      $0.retry.backoff = .constant(.seconds(1))
    }
    async let answer = client.send(Endpoint<String>(path: "a"))
    await signedIn.clock.sleeper(until: .seconds(1))
    var newer = signedIn.server.credentials()
    newer.accessToken = "token-newer"
    try await signedIn.authenticator.signIn(newer)
    signedIn.clock.advance(by: .seconds(1))
    #expect(try await answer == "Bearer token-newer")
  }

  @Test func `what was begun for one account is not sent for another`() async throws {
    let signedIn = SignedInClient()
    let transport = answering(.status(503))
    let client = makeClient(transport) {
      $0.authenticator = signedIn.authenticator
      $0.timeSource = signedIn.clock.timeSource
      $0.retry = .standard
      $0.retry.backoff = .constant(.seconds(1))
    }
    async let failure = apiError { try await client.send(Endpoint<String>(path: "a")) }
    await signedIn.clock.sleeper(until: .seconds(1))
    try await signedIn.authenticator.signIn(BearerCredentials(accessToken: "bob's", account: "bob"))
    signedIn.clock.advance(by: .seconds(1))
    #expect(try await failure == .unauthorized)
    #expect(transport.requests.count == 1)
  }

  @Test func `two accounts do not share a flight`() async throws {
    let gate = Promise<Void>()
    let transport = ClosureTransport { request in
      try await gate.value()
      return .text(request.fields[.authorization] ?? "")
    }
    let store = MemoryCredentialStore(BearerCredentials(accessToken: "ann's"))
    let authenticator = BearerAuthenticator(store: store, origins: [exampleURL]) { $0 }
    let client = makeClient(transport) {
      $0.authenticator = authenticator
      $0.coalescesCalls = true
    }
    async let ann = client.send(Endpoint<String>(path: "a"))
    while transport.requests.isEmpty, !Task.isCancelled { await Task.yield() }
    try await authenticator.signIn(BearerCredentials(accessToken: "bob's"))
    async let bob = client.send(Endpoint<String>(path: "a"))
    while transport.requests.count < 2, !Task.isCancelled { await Task.yield() }
    gate.fulfill(.success(()))
    #expect(try await [ann, bob] == ["Bearer ann's", "Bearer bob's"])
  }

  @Test func `the log tells of the renewal in one line, and shows no token`() async throws {
    let sink = MemorySink()
    let signedIn = SignedInClient(expiresIn: nil, settings: { _ in }) {
      $0.observers = [HTTPLog(level: .debug, sink: sink)]
    }
    signedIn.server.revoke()
    try await signedIn.get()
    #expect(sink.text.contains("credentials refused, renewed in"))
    #expect(!sink.text.contains("token-1"))
    #expect(!sink.messages.dropLast().joined().contains("refresh-"))
  }
}
