import Foundation
import NetCore
import NetTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The language itself, on the fastest tier.
@Suite(.stubs, .timeLimit(.minutes(1))) struct StubTests {
  private let client = closureClient()

  private func text(_ path: RequestPath, query: Query = [:], fields: HTTPFields = [:]) async throws -> String {
    try await client.send(Endpoint(path: path, query: query, fields: fields))
  }

  @Test func `a stub answers its method and path, and records the request`() async throws {
    stub(.get, "/v1/tips/today").reply(.text("Rinse."))
    stub(.put, "/v1/tips/today").reply(.status(204))
    #expect(try await text("tips/today") == "Rinse.")
    try await client.send(Endpoint<Void>(.put, path: "tips/today", body: .text("Grind finer.")))
    #expect(Stubs.current.requests.map(\.method) == [.get, .put])
    #expect(Stubs.current.requests.last?.text == "Grind finer.")
  }

  @Test(arguments: ["7", "a b", "ä/ö", "*", "100%"])
  func `a value in a path is one segment, in a stub as in an endpoint`(id: String) async throws {
    stub(.get, "/v1/users/\(id)").reply(.text("one"))
    #expect(try await text("users/\(id)") == "one")
  }

  @Test func `a star stands for any one segment`() async throws {
    stub(.get, "/v1/users/*/name").reply { .text($0.path) }
    #expect(try await text("users/7/name") == "/v1/users/7/name")
    #expect(try await text("users/a%2Fb/name") == "/v1/users/a%2Fb/name")
  }

  @Test func `the newest stub that matches answers`() async throws {
    stub(.get, "/v1/users").reply(.text("all"))
    stub(.get, "/v1/users").query("page", "2").reply(.text("second"))
    stub(.get, "/v1/users").query("tag", "b").field(.accept, "text/plain").reply(.text("tagged"))
    stub(.get, "/v1/users").when { $0.queryItem("page") == "9" }.reply(.text("ninth"))
    #expect(try await text("users") == "all")
    #expect(try await text("users", query: ["page": 2]) == "second")
    #expect(try await text("users", query: ["page": 9]) == "ninth")
    #expect(try await text("users", query: ["tag": "a", "tag": "b"]) == "all")
    #expect(try await text("users", query: ["tag": "a", "tag": "b"], fields: [.accept: "text/plain"]) == "tagged")
  }

  @Test func `a stub may ask for a body`() async throws {
    stub(.post, "/v1/echo").reply(.text("any"))
    stub(.post, "/v1/echo").body("ping").reply(.text("pong"))
    #expect(try await client.send(Endpoint(.post, path: "echo", body: .text("ping")), as: String.self) == "pong")
    #expect(try await client.send(Endpoint(.post, path: "echo", body: .text("pin")), as: String.self) == "any")
  }

  @Test func `replies come in turn, and the last one again and again`() async throws {
    let flaky = stub(.get, "/v1/a").fail(APIError.transport(.connectionLost)).reply(.status(503)).reply(.text("ok"))
    await #expect(throws: APIError.transport(.connectionLost)) { try await text("a") }
    await #expect(throws: APIError.badStatus(503)) { try await text("a") }
    for _ in 1...3 { #expect(try await text("a") == "ok") }
    #expect(flaky.count == 5)
  }

  @Test func `a reply is taken when its request comes, before any delay`() async throws {
    let clock = TestClock()
    Stubs.current.timeSource = clock.timeSource
    stub(.get, "/v1/a").reply(.text("first"), after: .seconds(60)).reply(.text("second"))
    async let first = text("a")
    try await clock.waitForSleepers(1, within: .seconds(50))
    #expect(try await text("a") == "second")
    clock.advance(by: .seconds(60))
    #expect(try await first == "first")
  }

  @Test func `many requests at once share a sequence without gaps`() async throws {
    let numbered = stub(.get, "/v1/a")
    for number in 1...100 { numbered.reply(.text("\(number)")) }
    let answers = try await withThrowingTaskGroup { group in
      for _ in 1...100 { group.addTask { try await text("a") } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(answers.count == 100)
  }

  @Test func `a hanging request ends with its task`() async throws {
    stub(.get, "/v1/a").hang()
    let call = Task { try await text("a") }
    while Stubs.current.requests.isEmpty, !Task.isCancelled { await Task.yield() }
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
  }

  @Test func `a stub describes itself without secrets`() {
    let described = stub(.get, "/v1/a").query("page", "2").query("token", "hush").field(.authorization, "Bearer hush")
    #expect(described.description == "GET /v1/a with page=2 and token=<redacted> and Authorization, which has no reply")
  }
}

/// What goes wrong in a test must fail it, and say how to put it right.
@Suite(.timeLimit(.minutes(1))) struct StubScopeTests {
  /// The issues that `body` records, none of which fails this test.
  private func issues(_ body: () async throws -> Void) async throws -> [String] {
    let log = IssueLog()
    try await withKnownIssue(isIntermittent: true) {
      try await body()
    } matching: {
      log.add($0)
    }
    return log.texts
  }

  private func inScope(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let test = try #require(Test.current)
    try await StubsTrait.stubs.provideScope(for: test, testCase: nil) { try await body() }
  }

  @Test func `a request that no stub matches fails the test, though the code under test swallows the error`()
    async throws
  {
    let issues = try await issues {
      try await inScope {
        stub(.get, "/v1/tips/today").reply(.text("Rinse."))
        _ = try? await closureClient().send(Endpoint<String>(path: "tips/yesterday", query: ["key": "hush"]))
      }
    }
    #expect(issues.count == 1)
    #expect(issues.first?.contains("No stub matches GET") == true)
    #expect(issues.first?.contains("/v1/tips/yesterday?key=<redacted> (stubs: GET /v1/tips/today)") == true)
  }

  @Test func `so does one that came through a session`() async throws {
    let issues = try await issues {
      try await inScope {
        let error = try? await sessionClient().send(Endpoint<String>(path: "a"))
        #expect(error == nil)
      }
    }
    #expect(issues.count == 1)
    #expect(issues.first?.contains("No stub matches GET https://api.example.com/v1/a (stubs: there are none).") == true)
  }

  @Test func `a stub without a reply matches nothing, and is named`() async throws {
    let issues = try await issues {
      try await inScope {
        _ = stub(.get, "/v1/a")
        _ = try? await closureClient().send(Endpoint<String>(path: "a"))
      }
    }
    #expect(issues.first?.contains("(stubs: GET /v1/a, which has no reply)") == true)
  }

  @Test func `a path that no request can have is refused where it is written`() async throws {
    let issues = try await issues { try await inScope { stub(.get, "/v1/a?page=1").reply(.status(.ok)) } }
    #expect(issues.count == 1)
    #expect(issues.first?.contains("pass the query as `query:`") == true)
  }

  @Test(arguments: [true, false])
  func `a request that comes when the test has ended is reported and fails`(throughSession: Bool) async throws {
    let issues = try await issues {
      let stubs = Stubs()
      stubs.stub(.get, "/v1/a").reply(.text("too late"))
      let client = throughSession ? sessionClient(stubs) : closureClient(stubs)
      stubs.close()
      await #expect(throws: APIError.self) { try await client.send(Endpoint<String>(path: "a")) }
      #expect(stubs.lateRequests.map(\.path) == ["/v1/a"])
      #expect(stubs.requests.isEmpty)
    }
    #expect(issues.count == 1)
    #expect(issues.first?.contains("/v1/a came after the stubs of \"a request that comes when") == true)
  }

  @Test func `so is one from a session that outlived its stubs`() async throws {
    let log = IssueLog()
    let session: URLSession
    do {
      let stubs = Stubs(owner: StubOwner(test: .current) { log.add($0) })
      session = stubs.session
    }
    await #expect(throws: URLError.self) { try await session.load(URLRequest("/a")) }
    #expect(log.texts.count == 1)
    #expect(log.texts.first?.contains("GET https://api.example.com/v1/a came after the stubs") == true)
  }

  @Test func `closing ends what is under way in a session`() async throws {
    let stubs = Stubs()
    stubs.stub(.get, "/v1/a").hang()
    let session = stubs.session
    let load = Task { try await session.load(URLRequest("/a")) }
    while stubs.requests.isEmpty, !Task.isCancelled { await Task.yield() }
    stubs.close()
    let error = await #expect(throws: URLError.self) { try await load.value }
    #expect(error?.code == .cancelled)
  }

  @Test func `without a scope the test fails, and is told the remedy`() async throws {
    let issues = try await issues {
      stub(.get, "/v1/a").reply(.status(.ok))
    }
    #expect(issues.count == 1)
    #expect(issues.first?.contains("add `.stubs` to the suite or test") == true)
  }

  @Test(.stubs) func `an expectation that fails in a reply belongs to the test, on every tier`() async throws {
    for tier in [closureClient, sessionClient] {
      let issues = try await issues {
        let stubs = Stubs()
        stubs.stub(.get, "/v1/a").reply { request in
          #expect(request.queryItem("page") == "1")
          return .text("ok")
        }
        try await tier(stubs).send(Endpoint<String>(path: "a", query: ["page": 2]))
      }
      #expect(issues.count == 1)
    }
  }

  @Test(.stubs, arguments: 1...20)
  func `each case has stubs of its own`(number: Int) async throws {
    #expect(Stubs.current.requests.isEmpty)
    stub(.get, "/v1/number").reply(.text("\(number)"))
    #expect(try await closureClient().send(Endpoint<String>(path: "number")) == "\(number)")
  }
}

@Suite(.stubs) struct StubSuiteInitTests {
  init() {
    stub(.get, "/v1/a").reply(.text("from init"))
  }

  @Test func `a suite's init stubs for its tests`() async throws {
    #expect(try await closureClient().send(Endpoint<String>(path: "a")) == "from init")
  }

  @Suite struct Nested {
    @Test func `nested suites have the trait too`() {
      #expect(Stubs.current.requests.isEmpty)
    }
  }
}
