import Foundation
import NetCore
import NetTesting
import Synchronization
import Testing

private let call = Endpoint<String>(path: "a")

/// A transport whose answers the test releases.
private final class GatedTransport: Sendable {
  private let gates = Mutex<[CheckedContinuation<HTTPResponse, any Error>]>([])
  let cancellations = Mutex(0)

  var transport: ClosureTransport {
    ClosureTransport { [self] _ in
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { gate in gates.withLock { $0.append(gate) } }
      } onCancel: {
        cancellations.withLock { $0 += 1 }
        release(.failure(CancellationError()))
      }
    }
  }

  func release(_ result: Result<HTTPResponse, any Error>) {
    let released = gates.withLock { gates in
      defer { gates = [] }
      return gates
    }
    for gate in released { gate.resume(with: result) }
  }

  func waiting(_ count: Int) async {
    while gates.withLock({ $0.count }) < count, !Task.isCancelled { await Task.yield() }
  }
}

@Suite(.timeLimit(.minutes(1))) struct CoalescingTests {
  private let gate = GatedTransport()
  private let joined = JoinCounter()

  private func client(_ transport: any HTTPTransport) -> HTTPClient {
    makeClient(transport) {
      $0.coalescesCalls = true
      $0.observers = [joined]
    }
  }

  /// Starts `count` calls and waits until all but the first have joined it.
  private func calls(_ count: Int, of client: HTTPClient) async -> [Task<String, any Error>] {
    let first = Task { try await client.send(call) }
    await gate.waiting(1)
    let others = (1..<count).map { _ in Task { try await client.send(call) } }
    await joined.reach(count - 1)
    return [first] + others
  }

  @Test func `a thousand callers share one exchange`() async throws {
    let transport = gate.transport
    let client = client(transport)
    let calls = await calls(1_000, of: client)
    gate.release(.success(.text("tip")))
    for call in calls { #expect(try await call.value == "tip") }
    #expect(transport.requests.count == 1)
  }

  @Test func `the first caller may leave, the others stay`() async throws {
    let client = client(gate.transport)
    let calls = await calls(1_000, of: client)
    calls[0].cancel()
    await #expect(throws: CancellationError.self) { try await calls[0].value }
    #expect(gate.cancellations.withLock { $0 } == 0)
    gate.release(.success(.text("tip")))
    for call in calls.dropFirst() { #expect(try await call.value == "tip") }
  }

  @Test func `the last one out cancels the exchange, and the next caller starts anew`() async throws {
    let transport = gate.transport
    let client = client(transport)
    let calls = await calls(100, of: client)
    for call in calls { call.cancel() }
    for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
    while gate.cancellations.withLock({ $0 }) == 0, !Task.isCancelled { await Task.yield() }
    async let next = client.send(call)
    await gate.waiting(1)
    gate.release(.success(.text("new")))
    #expect(try await next == "new")
    #expect(transport.requests.count == 2)
  }

  @Test func `a failure is everybody's, and the entry is gone`() async throws {
    let transport = gate.transport
    let client = client(transport)
    let calls = await calls(10, of: client)
    gate.release(.failure(APIError.transport(.connectionLost)))
    for call in calls { await #expect(throws: APIError.transport(.connectionLost)) { try await call.value } }
    async let next = client.send(call)
    await gate.waiting(1)
    gate.release(.success(.text("new")))
    #expect(try await next == "new")
  }

  @Test func `one URL asked for as two types is one exchange and two decodings`() async throws {
    let transport = gate.transport
    let client = client(transport)
    let widget = Task { try await client.send(Endpoint(path: "a"), as: Widget.self) }
    await gate.waiting(1)
    let numbers = Task { try await client.send(Endpoint(path: "a"), as: [String: Int].self) }
    await joined.reach(1)
    gate.release(.success(.json(#"{"id": 1, "name": "a"}"#)))
    #expect(try await widget.value == Widget(id: 1, name: "a"))
    await #expect(throws: APIError.decoding) { try await numbers.value }
    #expect(transport.requests.count == 1)
  }

  @Test func `calls that differ in anything that may change the answer share nothing`() async throws {
    let transport = ClosureTransport { _ in try await waitUntilCancelled() }
    let client = client(transport)
    var alone = call
    alone.mayShareFlight = false
    var retrying = call
    retrying.retry = .standard
    let endpoints: [Endpoint<String>] = [
      call, Endpoint(path: "b"), Endpoint(path: "a", query: ["x": 1]), Endpoint(.head, path: "a"),
      Endpoint(path: "a", fields: [.acceptLanguage: "de"]), Endpoint(path: "a", fields: [.cookie: "a=1"]),
      Endpoint(path: "a", fields: [.authorization: "Basic eA=="]), Endpoint(path: "a", cacheMode: .reload),
      Endpoint(.post, path: "a"), Endpoint(.post, path: "a"), alone, alone, retrying,
      Endpoint(path: "a", body: .text("x")),
    ]
    let calls = endpoints.map { endpoint in Task { try await client.send(endpoint) } }
    let streaming = Task { try await client.open(call) }
    while transport.requests.count < endpoints.count + 1, !Task.isCancelled { await Task.yield() }
    #expect(joined.count == 0)
    for call in calls { call.cancel() }
    streaming.cancel()
    for call in calls { _ = await call.result }
    _ = await streaming.result
  }

  @Test func `fields that only name the sender do not part calls`() async throws {
    let transport = gate.transport
    let client = client(transport)
    let calls = (1...3).map { number in
      Task { try await client.send(Endpoint<String>(path: "a", fields: ["X-Request-ID": "\(number)"])) }
    }
    await joined.reach(2)
    await gate.waiting(1)
    gate.release(.success(.text("tip")))
    for call in calls { #expect(try await call.value == "tip") }
    #expect(transport.requests.count == 1)
  }

  @Test func `each caller has its own time limit`() async throws {
    let clock = TestClock()
    let client = makeClient(gate.transport) {
      $0.coalescesCalls = true
      $0.observers = [joined]
      $0.timeSource = clock.timeSource
    }
    let patient = Task { try await client.send(Endpoint<String>(path: "a", timeout: .seconds(20))) }
    await gate.waiting(1)
    let hasty = Task { try await client.send(Endpoint<String>(path: "a", timeout: .seconds(5))) }
    await joined.reach(1)
    try await clock.waitForSleeper(until: .seconds(5))
    clock.advance(by: .seconds(5))
    await #expect(throws: APIError.timedOut(.total)) { try await hasty.value }
    gate.release(.success(.text("tip")))
    #expect(try await patient.value == "tip")
  }

  @Test func `retries are shared, and go on for who stays longest`() async throws {
    let clock = TestClock()
    let transport = ClosureTransport { $0.attempt == 1 ? .status(503, fields: [.retryAfter: "10"]) : .text("tip") }
    let client = makeClient(transport) {
      $0.coalescesCalls = true
      $0.retry = .standard
      $0.observers = [joined]
      $0.timeSource = clock.timeSource
    }
    let patient = Task { try await client.send(Endpoint<String>(path: "a", timeout: .seconds(20))) }
    try await clock.waitForSleepers(2)
    let hasty = Task { try await client.send(Endpoint<String>(path: "a", timeout: .seconds(5))) }
    await joined.reach(1)
    try await clock.waitForSleeper(until: .seconds(5))
    clock.advance(by: .seconds(5))
    await #expect(throws: APIError.timedOut(.total)) { try await hasty.value }
    clock.advance(by: .seconds(5))
    #expect(try await patient.value == "tip")
    #expect(transport.requests.count == 2)
  }

  @Test func `calls and cancellations at random leave nothing behind`() async throws {
    let transport = ClosureTransport { _ in
      for _ in 0..<Int.random(in: 0...20) {
        try Task.checkCancellation()
        await Task.yield()
      }
      return .text("tip")
    }
    let client = client(transport)
    await withTaskGroup { group in
      for number in 0..<5_000 {
        group.addTask {
          let task = Task { try await client.send(Endpoint<String>(path: "\(number % 7)")) }
          for _ in 0..<Int.random(in: 0...20) { await Task.yield() }
          if number % 3 == 0 { task.cancel() }
          switch await task.result {
          case .success(let value): #expect(value == "tip")
          case .failure(let error): #expect(error is CancellationError && number % 3 == 0, "\(error)")
          }
        }
      }
    }
    await client.shutdown()
  }
}

/// Counts the calls that joined another's exchange.
private final class JoinCounter: CallObserver {
  private let joins = Mutex(0)

  var count: Int { joins.withLock { $0 } }

  func observe(_ event: CallEvent) {
    if case .coalesced = event.kind { joins.withLock { $0 += 1 } }
  }

  func reach(_ count: Int) async {
    while self.count < count, !Task.isCancelled { await Task.yield() }
  }
}
