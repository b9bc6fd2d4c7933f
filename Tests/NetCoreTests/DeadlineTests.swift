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

  private func client(_ transport: any HTTPTransport, _ ending: Ending = .byTask) -> HTTPClient {
    makeClient(ending.of(transport)) { $0.timeSource = clock.timeSource }
  }

  @Test(arguments: Ending.allCases) func `a call ends at the client's limit`(ending: Ending) async throws {
    let client = client(silent(), ending)
    async let call = apiError { try await client.send(Endpoint<Void>(path: "a")) }
    try await clock.waitForSleepers(1)
    #expect(clock.sleepers == [.init(elapsed: .seconds(30))])
    clock.advance(by: .seconds(30))
    let error = try await call
    #expect(error == .timedOut(.total))
    #expect(error.isTimeout)
    #expect(error.request?.url == "https://api.example.com/v1/a")
  }

  @Test(arguments: Ending.allCases) func `a request's own limit counts instead`(ending: Ending) async throws {
    let client = client(silent(), ending)
    async let call = apiError { try await client.send(Endpoint<Void>(path: "a", timeout: .milliseconds(1500))) }
    try await clock.waitForSleepers(1)
    clock.advance(by: .milliseconds(1500))
    #expect(try await call == .timedOut(.total))
  }

  @Test(arguments: Ending.allCases) func `a shorter limit is kept beside a longer one, and each call ends at its own`(
    ending: Ending
  ) async throws {
    let client = client(silent(), ending)
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

  @Test(arguments: Ending.allCases) func `a body on its way counts as the call`(ending: Ending) async throws {
    let scripted = ScriptedBody()
    scripted.send("first")
    let client = client(answering(HTTPResponse(body: scripted.body)), ending)
    let response = try await client.open(Endpoint<Void>(path: "a"))
    async let read = apiError { try await response.body.collect(upTo: 100) }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(30))
    #expect(try await read == .timedOut(.total))
    #expect(scripted.isCancelled)
  }

  @Test(arguments: Ending.allCases) func `a stalled body of a collected response ends the call`(ending: Ending)
    async throws
  {
    let scripted = ScriptedBody()
    scripted.send("half")
    let client = client(answering(HTTPResponse(body: scripted.body)), ending)
    async let call = apiError { try await client.send(Endpoint<String>(path: "a")) }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(30))
    #expect(try await call == .timedOut(.total))
    #expect(scripted.isCancelled)
  }

  @Test(arguments: Ending.allCases) func `a body that was read in time ends well`(ending: Ending) async throws {
    let scripted = ScriptedBody()
    scripted.send("all")
    scripted.finish()
    let client = client(answering(HTTPResponse(body: scripted.body)), ending)
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

  @Test(arguments: Ending.allCases) func `a cancelled call throws CancellationError at once`(ending: Ending)
    async throws
  {
    let client = makeClient(ending.of(silent())) { $0.timeSource = clock.timeSource }
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

  @Test(arguments: Ending.allCases) func `after a shutdown no call starts`(ending: Ending) async throws {
    let transport = answering(.status(.ok))
    let client = makeClient(ending.of(transport))
    await client.shutdown()
    let error = try await apiError { try await client.send(Endpoint<Void>(path: "a")) }
    #expect(error == .invalidRequest)
    #expect(error.reason.contains("shut down"))
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: Ending.allCases) func `cancelling ends calls and bodies under way, and waits for them`(
    ending: Ending
  ) async throws {
    let scripted = ScriptedBody()
    let transport = ClosureTransport { request in
      if request.path.hasSuffix("body") { return HTTPResponse(body: scripted.body) }
      try await waitUntilCancelled()
    }
    let client = makeClient(ending.of(transport)) { $0.timeSource = clock.timeSource }
    let response = try await client.open(Endpoint<Void>(path: "body"))
    let reading = Task { try await response.body.collect(upTo: 10) }
    let call = Task { try await client.send(Endpoint<Void>(path: "a")) }
    while transport.requests.count < 2, !Task.isCancelled { await Task.yield() }
    await client.shutdown(.cancelling)
    await #expect(throws: CancellationError.self) { try await call.value }
    await #expect(throws: CancellationError.self) { try await reading.value }
    #expect(scripted.isCancelled)
  }

  @Test(arguments: Ending.allCases) func `a response that is held unread keeps no shutdown waiting`(ending: Ending)
    async throws
  {
    let client = makeClient(ending.of(answering(HTTPResponse(body: ScriptedBody().body))))
    let response = try await client.open(Endpoint<Void>(path: "a"))
    await client.shutdown(.cancelling)
    await #expect(throws: CancellationError.self) { try await response.body.collect(upTo: 10) }
  }

  @Test(arguments: Ending.allCases) func `draining waits for a call under way, which ends well`(ending: Ending)
    async throws
  {
    let scripted = ScriptedBody()
    let client = makeClient(ending.of(answering(HTTPResponse(body: scripted.body))))
    let response = try await client.open(Endpoint<Void>(path: "a"))
    async let shutdown: Void = client.shutdown()
    scripted.send("all")
    scripted.finish()
    #expect(try await response.body.collect(upTo: 10) == Data("all".utf8))
    await shutdown
  }

  @Test(arguments: Ending.allCases) func `a dropped client leaves no sleeper`(ending: Ending) async throws {
    var client: HTTPClient? = makeClient(ending.of(silent())) { $0.timeSource = clock.timeSource }
    let call = Task { [client] in try await client?.send(Endpoint<Void>(path: "a")) }
    try await clock.waitForSleepers(1)
    client = nil
    call.cancel()
    _ = await call.result
    while !clock.sleepers.isEmpty, !Task.isCancelled { await Task.yield() }
  }
}
