import Foundation
import NetCore
import NetTesting
import Testing

/// A transport whose response never comes; it waits until it is cancelled.
private func silent() -> ClosureTransport {
  ClosureTransport { _ in try await waitUntilCancelled() }
}

@Suite(.timeLimit(.minutes(1))) struct DeadlineTests {
  private let clock = TestClock()

  private func client(_ transport: any HTTPTransport) -> HTTPClient {
    makeClient(transport) { $0.timeSource = clock.timeSource }
  }

  @Test func `a call ends at the client's limit`() async throws {
    let client = client(silent())
    async let call = apiError { try await client.send(Endpoint<Void>(path: "a")) }
    try await clock.waitForSleepers(1)
    #expect(clock.sleepers == [.init(elapsed: .seconds(30))])
    clock.advance(by: .seconds(30))
    let error = try await call
    #expect(error == .timedOut(.total))
    #expect(error.isTimeout)
    #expect(error.request?.url == "https://api.example.com/v1/a")
  }

  @Test func `a request's own limit counts instead`() async throws {
    let client = client(silent())
    async let call = apiError { try await client.send(Endpoint<Void>(path: "a", timeout: .milliseconds(1500))) }
    try await clock.waitForSleepers(1)
    clock.advance(by: .milliseconds(1500))
    #expect(try await call == .timedOut(.total))
  }

  @Test func `a shorter limit is kept beside a longer one, and each call ends at its own`() async throws {
    let client = client(silent())
    async let long = apiError { try await client.send(Endpoint<Void>(path: "a", timeout: .seconds(20))) }
    try await clock.waitForSleepers(1)
    async let short = apiError { try await client.send(Endpoint<Void>(path: "b", timeout: .seconds(10))) }
    try await clock.waitForSleeper(until: .seconds(10))
    clock.advance(by: .seconds(10))
    #expect(try await short.request?.url.hasSuffix("/b") == true)
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(10))
    #expect(try await long.request?.url.hasSuffix("/a") == true)
  }

  @Test func `a body on its way counts as the call`() async throws {
    let scripted = ScriptedBody()
    scripted.send("first")
    let client = client(answering(HTTPResponse(body: scripted.body)))
    let response = try await client.open(Endpoint<Void>(path: "a"))
    async let read = apiError { try await response.body.collect(upTo: 100) }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(30))
    #expect(try await read == .timedOut(.total))
    #expect(scripted.isCancelled)
  }

  @Test func `a stalled body of a collected response ends the call`() async throws {
    let scripted = ScriptedBody()
    scripted.send("half")
    let client = client(answering(HTTPResponse(body: scripted.body)))
    async let call = apiError { try await client.send(Endpoint<String>(path: "a")) }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(30))
    #expect(try await call == .timedOut(.total))
    #expect(scripted.isCancelled)
  }

  @Test func `a body that was read in time ends well`() async throws {
    let scripted = ScriptedBody()
    scripted.send("all")
    scripted.finish()
    let client = client(answering(HTTPResponse(body: scripted.body)))
    let response = try await client.open(Endpoint<Void>(path: "a"))
    #expect(try await response.body.collect(upTo: 100) == Data("all".utf8))
    clock.advance(by: .seconds(60))
    #expect(!scripted.isCancelled)
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `a limit that leaves no time is refused`(timeout: Duration) async throws {
    let transport = answering(.status(.ok))
    let error = try await apiError { try await client(transport).send(Endpoint<Void>(path: "a", timeout: timeout)) }
    #expect(error == .invalidRequest)
    let impatient = makeClient(transport) { $0.attemptTimeout = timeout }
    await #expect(throws: APIError.invalidRequest) { try await impatient.send(Endpoint<Void>(path: "a")) }
    #expect(transport.requests.isEmpty)
  }

  @Test func `the longest limit is no overflow`() async throws {
    let request = Endpoint<Void>(path: "a", timeout: .seconds(Int64.max))
    try await client(answering(.status(.ok))).send(request)
    try await HTTPClient(baseURL: exampleURL, transport: answering(.status(.ok))).send(request)
  }
}

@Suite(.timeLimit(.minutes(1))) struct CancellationTests {
  private let clock = TestClock()

  @Test func `a cancelled call throws CancellationError at once`() async throws {
    let client = makeClient(silent()) { $0.timeSource = clock.timeSource }
    let call = Task { try await client.send(Endpoint<Void>(path: "a")) }
    try await clock.waitForSleepers(1)
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
  }

  @Test func `a task cancelled before sends nothing`() async throws {
    let transport = answering(.status(.ok))
    let client = makeClient(transport)
    let call = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await client.send(Endpoint<Void>(path: "a"))
    }
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(transport.requests.isEmpty)
  }

  @Test func `a transport's own words for a cancelled exchange are not passed on`() async throws {
    let transport = ClosureTransport { _ in
      withUnsafeCurrentTask { $0?.cancel() }
      throw APIError.transport(.connectionLost)
    }
    let client = makeClient(transport)
    let call = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await client.send(Endpoint<Void>(path: "a"))
    }
    await #expect(throws: CancellationError.self) { try await call.value }
  }
}

@Suite(.timeLimit(.minutes(1))) struct ShutdownTests {
  private let clock = TestClock()

  @Test func `after a shutdown no call starts`() async throws {
    let transport = answering(.status(.ok))
    let client = makeClient(transport)
    await client.shutdown()
    let error = try await apiError { try await client.send(Endpoint<Void>(path: "a")) }
    #expect(error == .invalidRequest)
    #expect(error.reason.contains("shut down"))
    #expect(transport.requests.isEmpty)
  }

  @Test func `cancelling ends calls and bodies under way, and waits for them`() async throws {
    let scripted = ScriptedBody()
    let transport = ClosureTransport { request in
      if request.path.hasSuffix("body") { return HTTPResponse(body: scripted.body) }
      try await waitUntilCancelled()
    }
    let client = makeClient(transport) { $0.timeSource = clock.timeSource }
    let response = try await client.open(Endpoint<Void>(path: "body"))
    let reading = Task { try await response.body.collect(upTo: 10) }
    let call = Task { try await client.send(Endpoint<Void>(path: "a")) }
    while transport.requests.count < 2 { await Task.yield() }
    await client.shutdown(.cancelling)
    await #expect(throws: CancellationError.self) { try await call.value }
    await #expect(throws: CancellationError.self) { try await reading.value }
    #expect(scripted.isCancelled)
  }

  @Test func `a response that is held unread keeps no shutdown waiting`() async throws {
    let client = makeClient(answering(HTTPResponse(body: ScriptedBody().body)))
    let response = try await client.open(Endpoint<Void>(path: "a"))
    await client.shutdown(.cancelling)
    await #expect(throws: CancellationError.self) { try await response.body.collect(upTo: 10) }
  }

  @Test func `draining waits for a call under way, which ends well`() async throws {
    let scripted = ScriptedBody()
    let client = makeClient(answering(HTTPResponse(body: scripted.body)))
    let response = try await client.open(Endpoint<Void>(path: "a"))
    async let shutdown: Void = client.shutdown()
    scripted.send("all")
    scripted.finish()
    #expect(try await response.body.collect(upTo: 10) == Data("all".utf8))
    await shutdown
  }

  @Test func `a dropped client leaves no sleeper`() async throws {
    var client: HTTPClient? = makeClient(silent()) { $0.timeSource = clock.timeSource }
    let call = Task { [client] in try await client?.send(Endpoint<Void>(path: "a")) }
    try await clock.waitForSleepers(1)
    client = nil
    call.cancel()
    _ = await call.result
    while !clock.sleepers.isEmpty { await Task.yield() }
  }
}
