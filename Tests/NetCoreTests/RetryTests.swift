import Foundation
import NetCore
import NetTesting
import Synchronization
import Testing

private let call = Endpoint<String>(path: "a")

/// Answers attempt after attempt with the given outcomes; the last one repeats.
private func script(_ outcomes: Result<HTTPResponse, APIError>...) -> ClosureTransport {
  ClosureTransport { request in try outcomes[min(request.attempt, outcomes.count) - 1].get() }
}

@Suite(.timeLimit(.minutes(1))) struct RetryTests {
  private let clock = TestClock()
  private let sink = MemorySink()

  private func client(
    _ transport: any HTTPTransport, _ configure: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) -> HTTPClient {
    makeClient(transport) { configuration in
      configuration.timeSource = clock.timeSource
      configuration.retry.maximumAttempts = 3
      configuration.retry.backoff = .constant(.seconds(1))
      configuration.observers = [HTTPLog(level: .info, sink: sink)]
      configure(&configuration)
    }
  }

  /// Lets the time pass until the client has waited `count` times. (One sleeper more is the call's time limit.)
  private func pass(waits count: Int, of wait: Duration = .seconds(1)) async throws {
    for _ in 0..<count {
      try await clock.waitForSleepers(2)
      clock.advance(by: wait)
    }
  }

  @Test func `a 503 is repeated after a wait, and the story is told`() async throws {
    let transport = script(.success(.status(503)), .success(.status(503)), .success(.text("tip")))
    async let reply = client(transport).reply(to: call)
    try await pass(waits: 2)
    let result = try await reply
    #expect(result.value == "tip")
    #expect(result.info.attempts == 3)
    #expect(result.info.failures.map(\.failure) == [.status(503), .status(503)])
    #expect(result.info.failures.map(\.began) == [.zero, .seconds(1)])
    #expect(result.info.failures.map(\.wait) == [.seconds(1), .seconds(1)])
    #expect(result.info.duration == .seconds(2))
    #expect(
      sink.messages.map { $0.drop { $0 != "]" }.dropFirst(2) } == [
        "← 503 Service Unavailable in 0.0 ms, 0 bytes", "↻ again in 1.00 s: 503 Service Unavailable",
        "← 503 Service Unavailable in 0.0 ms, 0 bytes", "↻ again in 1.00 s: 503 Service Unavailable",
        "← 200 OK in 0.0 ms, 3 bytes",
      ])
  }

  @Test func `the last failure is the call's, and knows the attempts before`() async throws {
    let transport = script(
      .failure(.transport(.connectionLost)), .success(.status(500)), .success(.text("no", status: 503)))
    let client = client(transport)
    async let failure = apiError { try await client.send(call) }
    try await pass(waits: 2)
    let error = try await failure
    #expect(error == .badStatus(503))
    #expect(error.attempts == 3)
    #expect(error.failures.map(\.failure) == [.error(.transport(.connectionLost)), .status(500)])
    #expect(error.debugDescription.contains("1 at 0.0 ms: transport(.connectionLost), then waited 1.00 s"))
  }

  @Test func `as it comes a client repeats nothing, and a request may ask for it`() async throws {
    let transport = script(.success(.status(503)), .success(.text("tip")))
    let plain = makeClient(transport) { $0.timeSource = clock.timeSource }
    await #expect(throws: APIError.badStatus(503)) { try await plain.send(call) }
    var asking = call
    asking.retry = .standard
    asking.retry?.backoff = .none
    #expect(try await plain.send(asking) == "tip")
    var refusing = call
    refusing.retry = .never
    await #expect(throws: APIError.badStatus(503)) { try await client(transport).send(refusing) }
  }

  @Test func `a POST is repeated only with a key, which is the same on every attempt`() async throws {
    let transport = script(.failure(.transport(.connectionLost)), .success(.text("made")))
    let client = client(transport) { $0.retry.backoff = .none }
    var post = Endpoint<String>(.post, path: "orders", body: .text("1"))
    await #expect(throws: APIError.transport(.connectionLost)) { try await client.send(post) }
    #expect(transport.requests.count == 1)
    post.idempotencyKey = .automatic
    #expect(try await client.send(post) == "made")
    #expect(try await client.send(post) == "made")
    let keys = transport.requests.dropFirst().compactMap { $0.fields[.idempotencyKey] }
    #expect(keys.count == 4)
    #expect(keys[0] == keys[1] && keys[2] == keys[3] && keys[0] != keys[2])
    #expect(keys[0].count == 32)
    let count = transport.requests.count
    post.idempotencyKey = .value(" ")
    await #expect(throws: APIError.transport(.connectionLost)) { try await client.send(post) }
    #expect(transport.requests.count == count + 1)
    post.idempotencyKey = .value("mine")
    #expect(try await client.send(post) == "made")
    #expect(transport.requests.last?.fields[.idempotencyKey] == "mine")
  }

  @Test func `a collected body that is cut short is repeated, a streaming one is not`() async throws {
    let transport = ClosureTransport { request in
      guard request.attempt == 1 else { return .text("whole") }
      let body = ScriptedBody()
      body.send("ha")
      body.fail(APIError.transport(.truncated))
      return HTTPResponse(body: body.body)
    }
    let client = client(transport) { $0.retry.backoff = .none }
    #expect(try await client.send(call) == "whole")
    let response = try await client.open(call)
    await #expect(throws: APIError.transport(.truncated)) { try await response.body.collect(upTo: 100) }
    #expect(transport.requests.count == 3)
  }

  @Test func `a dropped response is discarded before the wait`() async throws {
    let dropped = ScriptedBody()
    let transport = ClosureTransport { request in
      request.attempt == 1 ? HTTPResponse(status: 503, body: dropped.body) : .text("tip")
    }
    let client = client(transport)
    async let response = client.open(call)
    await dropped.cancelled()
    try await pass(waits: 1)
    #expect(try await response.status == .ok)
  }

  @Test func `a server that asks for more time than the call has is not waited for`() async throws {
    let transport = script(.success(.status(503, fields: [.retryAfter: "31"])), .success(.text("tip")))
    let error = try await apiError { try await client(transport).send(call) }
    #expect(error == .badStatus(503))
    #expect(transport.requests.count == 1)
  }

  @Test func `Retry-After is obeyed`() async throws {
    let transport = script(.success(.status(429, fields: [.retryAfter: "7"])), .success(.text("tip")))
    async let value = client(transport).send(call)
    try await clock.waitForSleepers(2)
    #expect(clock.sleepers.first == .init(elapsed: .seconds(7)))
    clock.advance(by: .seconds(7))
    #expect(try await value == "tip")
  }

  @Test func `cancelling during the wait ends at once and sends nothing more`() async throws {
    let transport = script(.success(.status(503)))
    let client = client(transport)
    let running = Task { try await client.send(call) }
    try await clock.waitForSleepers(2)
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(transport.requests.count == 1)
  }

  @Test func `the call's limit ends the wait, and says so`() async throws {
    let client = client(script(.success(.status(503)))) { $0.retry.maximumAttempts = 100 }
    async let failure = apiError { try await client.send(call) }
    try await pass(waits: 29)
    #expect(try await failure == .badStatus(503))
  }

  @Test func `under a dead server the requests are bounded by the budget`() async throws {
    let transport = script(.failure(.transport(.connectionRefused)))
    let client = client(transport) {
      $0.retry.backoff = .none
      $0.observers = []
    }
    await withTaskGroup { group in
      for _ in 0..<1_000 { group.addTask { _ = try? await client.send(call) } }
    }
    let retries = transport.requests.count - 1_000
    #expect(retries >= 10 && retries <= 210)
  }

  @Test func `every attempt passes the caller's attempt middlewares`() async throws {
    let transport = script(.success(.status(503)), .success(.text("tip")))
    let client = client(transport) {
      $0.retry.backoff = .none
      $0.attemptMiddlewares = [
        .intercepting { request, context, next in
          var request = request
          request.fields["X-Attempt"] = "\(context.attempt)"
          return try await next.send(request, context: context)
        }
      ]
    }
    _ = try await client.send(call)
    #expect(transport.requests.compactMap { $0.fields["X-Attempt"] } == ["1", "2"])
  }

  @Test func `with a concurrency limit of 1, a 503 is repeated`() async throws {
    let endless = HTTPResponse(status: 503, body: ScriptedBody().body)
    let client = client(script(.success(endless), .success(.text("tip")))) {
      $0.retry.backoff = .none
      $0.concurrencyLimit = ConcurrencyLimit(perHost: 1, total: 1)
    }
    #expect(try await client.open(call).status == .ok)
  }
}

@Suite(.timeLimit(.minutes(1))) struct AttemptTimeoutTests {
  private let clock = TestClock()

  @Test func `an attempt that takes too long is repeated`() async throws {
    let transport = ClosureTransport { request in
      if request.attempt == 1 { try await waitUntilCancelled() }
      return .text("tip")
    }
    let client = makeClient(transport) {
      $0.timeSource = clock.timeSource
      $0.attemptTimeout = .seconds(5)
      $0.retry = .standard
      $0.retry.backoff = .none
    }
    async let reply = client.reply(to: call)
    try await clock.waitForSleepers(1)
    try await clock.waitForSleeper(until: .seconds(5))
    clock.advance(by: .seconds(5))
    #expect(try await reply.info.failures.map(\.failure) == [.error(.transport(.timedOut(.attempt)))])
  }

  @Test func `the call's limit beats the attempt's`() async throws {
    let transport = ClosureTransport { _ in try await waitUntilCancelled() }
    let client = makeClient(transport) {
      $0.timeSource = clock.timeSource
      $0.attemptTimeout = .seconds(20)
      $0.timeout = .seconds(10)
      $0.retry = .standard
    }
    async let failure = apiError { try await client.send(call) }
    try await clock.waitForSleeper(until: .seconds(10))
    while transport.requests.isEmpty, !Task.isCancelled { await Task.yield() }
    clock.advance(by: .seconds(10))
    #expect(try await failure == .timedOut(.total))
  }

  @Test func `a body that is read as it arrives is no part of its attempt`() async throws {
    let scripted = ScriptedBody()
    let client = makeClient(answering(HTTPResponse(body: scripted.body))) {
      $0.timeSource = clock.timeSource
      $0.attemptTimeout = .seconds(5)
    }
    let response = try await client.open(call)
    clock.advance(by: .seconds(10))
    scripted.send("late")
    scripted.finish()
    #expect(try await response.body.collect(upTo: 10) == Data("late".utf8))
  }
}
