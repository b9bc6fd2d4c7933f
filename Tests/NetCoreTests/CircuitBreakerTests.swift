import Foundation
import NetTesting
import Synchronization
import Testing

@testable import NetCore

private let call = Endpoint<String>(path: "a")

/// A server whose answers the test changes.
private final class Health: Sendable {
  private let answer = Mutex<@Sendable () async throws -> HTTPResponse>({ .text("tip") })

  var transport: ClosureTransport {
    ClosureTransport { [self] _ in try await answer.withLock { $0 }() }
  }

  func becomes(_ answer: @escaping @Sendable () async throws -> HTTPResponse) {
    self.answer.withLock { $0 = answer }
  }
}

@Suite(.timeLimit(.minutes(1))) struct CircuitBreakerTests {
  private let clock = TestClock()
  private let events = EventList()
  private let health = Health()

  private func client(
    _ transport: any HTTPTransport, _ configure: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) -> HTTPClient {
    makeClient(transport) {
      $0.timeSource = clock.timeSource
      $0.observers = [events]
      var breaker = CircuitBreaker()
      breaker.minimumCalls = 4
      breaker.openTime = .seconds(10)
      $0.circuitBreaker = breaker
      configure(&$0)
    }
  }

  /// Fails four times, which opens the circuit.
  private func open(_ client: HTTPClient) async throws {
    var failing = call
    failing.retry = .never
    health.becomes { .status(500) }
    for _ in 0..<4 { #expect(try await apiError { try await client.send(failing) } == .badStatus(500)) }
  }

  @Test func `it opens, rejects, probes and closes, and observers are told`() async throws {
    let transport = health.transport
    let client = client(transport)
    try await open(client)
    #expect(events.circuits == [.open])
    clock.advance(by: .seconds(4))
    let error = try await apiError { try await client.send(call) }
    #expect(error == .rejected(.circuitOpen))
    #expect(error.retryAfter == .seconds(6))
    #expect(error.reason.hasPrefix("The circuit for https://api.example.com is open for 6.00 s more"))
    #expect(!error.mayHaveReachedServer && error.attempts == 0)
    #expect(error.errorDescription == "The server has a problem. Try again later.")
    #expect(transport.requests.count == 4)
    clock.advance(by: .seconds(6))
    health.becomes { .text("tip") }
    #expect(try await client.send(call) == "tip")
    #expect(try await client.send(call) == "tip")
    #expect(events.circuits == [.open, .halfOpen, .closed])
  }

  @Test func `it may stay open for ever, and settings that are no numbers can be printed`() async throws {
    var breaker = CircuitBreaker()
    breaker.minimumCalls = 4
    breaker.openTime = .seconds(Int64.max)
    let client = client(health.transport) { [breaker] in $0.circuitBreaker = breaker }
    try await open(client)
    let error = try await apiError { try await client.send(call) }
    #expect(error.reason.contains("is open for \(Int64.max) s more"))
    breaker.failureShare = .nan
    #expect("\(breaker)".hasPrefix("opens at 0 %"))
  }

  @Test func `another host is another circuit`() async throws {
    let client = client(health.transport)
    try await open(client)
    health.becomes { .text("tip") }
    #expect(try await client.send(Endpoint<String>(url: URL(string: "https://other.example/")!)) == "tip")
    await #expect(throws: APIError.rejected(.circuitOpen)) { try await client.send(call) }
  }

  @Test func `while a probe is under way others are rejected, and a cancelled one does not leave it stuck`()
    async throws
  {
    let transport = health.transport
    let client = client(transport)
    try await open(client)
    clock.advance(by: .seconds(10))
    for count in 5...7 {
      health.becomes { try await waitUntilCancelled() }
      let probe = Task { try await client.send(call) }
      while transport.requests.count < count, !Task.isCancelled { await Task.yield() }
      let error = try await apiError { try await client.send(call) }
      #expect(error == .rejected(.circuitOpen))
      #expect(error.retryAfter == .zero)
      #expect(error.reason.contains("half open"))
      probe.cancel()
      await #expect(throws: CancellationError.self) { try await probe.value }
    }
    health.becomes { .text("tip") }
    #expect(try await client.send(call) == "tip")
    #expect(events.circuits == [.open, .halfOpen, .closed])
  }

  @Test func `a probe that never answers ends at its call's limit, and opens it again`() async throws {
    let transport = health.transport
    let client = client(transport)
    try await open(client)
    clock.advance(by: .seconds(10))
    health.becomes { try await waitUntilCancelled() }
    async let probe = apiError { try await client.send(call) }
    while transport.requests.count < 5, !Task.isCancelled { await Task.yield() }
    // Until then the clock sleeps for the calls before, which ended in time.
    clock.advance(by: .seconds(20))
    try await clock.waitForSleeper(until: .seconds(40))
    clock.advance(by: .seconds(10))
    #expect(try await probe == .timedOut(.total))
    let error = try await apiError { try await client.send(call) }
    #expect(error.retryAfter == .seconds(10))
  }

  @Test func `callers who cancel open nothing`() async throws {
    let transport = health.transport
    let client = client(transport)
    health.becomes { try await waitUntilCancelled() }
    let calls = (0..<8).map { _ in Task { try await client.send(call) } }
    while transport.requests.count < 8, !Task.isCancelled { await Task.yield() }
    for call in calls { call.cancel() }
    for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
    #expect(events.circuits == [])
  }

  @Test func `a rejection is retried when the circuit half-opens before the deadline`() async throws {
    let transport = health.transport
    let client = client(transport) {
      $0.retry = .standard
      $0.retry.backoff = .constant(.seconds(1))
    }
    try await open(client)
    health.becomes { .text("tip") }
    async let reply = client.reply(to: call)
    try await clock.waitForSleeper(until: .seconds(11))
    clock.advance(by: .seconds(11))
    let info = try await reply.info
    #expect(info.failures.map(\.failure) == [.error(.rejected(.circuitOpen))])
    #expect(transport.requests.count == 5)
  }

  @Test func `a POST that was rejected is retried: nothing was sent`() async throws {
    let client = client(health.transport) {
      $0.retry = .standard
      $0.retry.backoff = .none
    }
    try await open(client)
    health.becomes { .text("tip") }
    async let value = client.send(Endpoint<String>(.post, path: "a", body: .text("x")))
    try await clock.waitForSleeper(until: .seconds(10))
    clock.advance(by: .seconds(10))
    #expect(try await value == "tip")
  }

  @Test func `a rejection is the call's error when the deadline comes before`() async throws {
    let client = client(health.transport) { $0.retry = .standard }
    try await open(client)
    let error = try await apiError { try await client.send(Endpoint<String>(path: "a", timeout: .seconds(9))) }
    #expect(error == .rejected(.circuitOpen))
    #expect(clock.sleepers.allSatisfy { $0.elapsed >= .seconds(9) })
  }

  @Test func `attempts that opened the circuit are told of by the rejection`() async throws {
    let client = client(health.transport) {
      $0.retry = .standard
      $0.retry.maximumAttempts = 9
      $0.retry.backoff = .none
    }
    health.becomes { throw APIError.transport(.connectionLost) }
    let error = try await apiError { try await client.send(Endpoint<String>(path: "a", timeout: .seconds(9))) }
    #expect(error == .rejected(.circuitOpen))
    #expect(error.attempts == 4)
    #expect(error.failures.count == 4)
    // The last attempt was not sent, but those before may have been seen.
    #expect(error.mayHaveReachedServer)
  }

  @Test func `who waited for a place while it opened is rejected too, and a wait is no probe`() async throws {
    let transport = health.transport
    let doors = Mutex<[Promise<Void>]>([])
    health.becomes {
      let door = Promise<Void>()
      doors.withLock { $0.append(door) }
      try await door.value()
      return .status(500)
    }
    let client = client(transport) { $0.concurrencyLimit = ConcurrencyLimit(perHost: 1) }
    let calls = (0..<7).map { _ in Task { try await client.send(call) } }
    for count in 1...4 {
      while transport.requests.count < count, !Task.isCancelled { await Task.yield() }
      while doors.withLock({ $0.count }) < count, !Task.isCancelled { await Task.yield() }
      doors.withLock { $0[count - 1] }.fulfill(.success(()))
    }
    var rejections = 0
    for call in calls {
      if case .failure(let error as APIError) = await call.result, error == .rejected(.circuitOpen) { rejections += 1 }
    }
    #expect(rejections == 3)
    #expect(transport.requests.count == 4)
  }

  @Test func `a body that breaks on its way is a failure, one that its reader drops is not`() async throws {
    let client = client(health.transport)
    health.becomes { HTTPResponse(body: ScriptedBody().body) }
    for _ in 0..<8 { try await client.open(call).body.discard() }
    #expect(events.circuits == [])
    health.becomes {
      let body = ScriptedBody()
      body.fail(APIError.transport(.truncated))
      return HTTPResponse(body: body.body)
    }
    for _ in 0..<4 {
      let response = try await client.open(call)
      await #expect(throws: APIError.transport(.truncated)) { try await response.body.collect(upTo: 10) }
    }
    #expect(events.circuits == [.open])
  }

  @Test func `a probe is judged by its head: a stream of hours does not keep others out`() async throws {
    let client = client(health.transport)
    try await open(client)
    clock.advance(by: .seconds(10))
    health.becomes { HTTPResponse(body: ScriptedBody().body) }
    let stream = try await client.open(call)
    #expect(events.circuits == [.open, .halfOpen, .closed])
    health.becomes { .text("tip") }
    #expect(try await client.send(call) == "tip")
    stream.body.discard()
  }

  @Test func `an open circuit uses up no token of the rate limit`() async throws {
    let client = client(health.transport) { $0.rateLimit = RateLimit(1, per: .seconds(100), burst: 4) }
    try await open(client)
    for _ in 0..<100 { await #expect(throws: APIError.rejected(.circuitOpen)) { try await client.send(call) } }
  }

  @Test func `a log tells of it`() async throws {
    let sink = MemorySink()
    let client = client(health.transport) { $0.observers = [HTTPLog(level: .warning, sink: sink)] }
    try await open(client)
    #expect(sink.text.contains("⌁ circuit open: https://api.example.com"))
  }
}
