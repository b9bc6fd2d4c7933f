import Foundation
import NetTesting
import Synchronization
import Testing

@testable import NetCore

/// A server that answers when the test says so, in the order of the requests.
private final class Gate: Sendable {
  private struct State {
    var paths: [String] = []
    var waiting: [Promise<Void>] = []
  }

  private let state = Mutex(State())

  /// The last parts of the paths of all requests, in the order they came.
  var paths: [String] { state.withLock { $0.paths } }

  var transport: ClosureTransport {
    ClosureTransport { [self] request in
      let promise = Promise<Void>()
      state.withLock { state in
        state.paths.append(request.url.lastPathComponent)
        state.waiting.append(promise)
      }
      try await promise.value()
      return .text("tip")
    }
  }

  /// Returns when so many requests have come since the beginning.
  func arrived(_ count: Int) async {
    while paths.count < count, !Task.isCancelled { await Task.yield() }
  }

  /// Answers the first request that is not answered.
  func answer() {
    state.withLock { $0.waiting.removeFirst() }.fulfill(.success(()))
  }
}

@Suite(.timeLimit(.minutes(1))) struct ConcurrencyLimitTests {
  private let clock = TestClock()
  private let gate = Gate()
  private let events = EventList()

  /// A pipeline of the stage alone, and its places.
  private func stage(_ limit: ConcurrencyLimit, _ transport: any HTTPTransport) -> (any HTTPTransport, Places) {
    let stage = ConcurrencyLimiting(limit: limit, timeSource: clock.timeSource)
    return (transport.behind([stage]), stage.places)
  }

  @Test func `10,000 calls through 8 places: never more at once, and each has its turn`() async throws {
    let running = Mutex((now: 0, most: 0))
    let transport = ClosureTransport { _ in
      running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      for _ in 0..<3 { await Task.yield() }
      running.withLock { $0.now -= 1 }
      return .text("tip")
    }
    let (pipeline, places) = stage(ConcurrencyLimit(perHost: 8, queue: 10_000), transport)
    await withTaskGroup { group in
      for number in 0..<10_000 {
        group.addTask {
          let url = exampleURL.appending(path: "\(number)")
          _ = try? await pipeline.send(HTTPRequest(url: url), context: RequestContext())
        }
      }
    }
    #expect(transport.requests.count == 10_000)
    #expect(running.withLock { $0.most } == 8)
    #expect(places.counts == (0, 0))
  }

  @Test func `who came first goes first`() async throws {
    let (pipeline, places) = stage(ConcurrencyLimit(perHost: 1), gate.transport)
    let calls = try await queue(20, in: pipeline, places)
    try await finish(calls)
    #expect(gate.paths == (0..<20).map(String.init))
  }

  @Test func `cancelling in the queue removes the waiter at once, and nobody else loses a turn`() async throws {
    let (pipeline, places) = stage(ConcurrencyLimit(perHost: 1), gate.transport)
    let calls = try await queue(5, in: pipeline, places)
    for number in [1, 3] {
      calls[number].cancel()
      await #expect(throws: CancellationError.self) { try await calls[number].value }
    }
    #expect(places.counts == (1, 2))
    try await finish([calls[0], calls[2], calls[4]])
    #expect(gate.paths == ["0", "2", "4"])
    #expect(places.counts == (0, 0))
  }

  @Test func `a full queue refuses at once, and says so`() async throws {
    let (pipeline, places) = stage(ConcurrencyLimit(perHost: 1, queue: 2), gate.transport)
    let calls = try await queue(3, in: pipeline, places)
    let error = try await apiError { try await pipeline.send(HTTPRequest(url: exampleURL), context: RequestContext()) }
    #expect(error == .rejected(.queueFull))
    #expect(!error.mayHaveReachedServer)
    #expect(error.attempts == 0)
    #expect(error.reason.contains("2 attempts wait for https://api.example.com"))
    #expect(error.reason.contains("ConcurrencyLimit"))
    #expect(error.debugDescription.hasPrefix("APIError.rejected(.queueFull): "))
    #expect(error.errorDescription == "Too many requests. Try again in a moment.")
    try await finish(calls)
  }

  @Test func `a host that is full keeps no other waiting`() async throws {
    let (pipeline, places) = stage(ConcurrencyLimit(perHost: 1, total: 3), gate.transport)
    let calls = try await queue(4, in: pipeline, places)
    let other = HTTPRequest(url: URL(string: "https://other.example/b")!)
    let quick = Task { try await pipeline.send(other, context: RequestContext()) }
    await gate.arrived(2)
    #expect(gate.paths == ["0", "b"])
    try await finish(calls + [quick])
  }

  @Test func `of all who could have a place of the total, the first has it`() async throws {
    var book = PlaceBook<String>(ConcurrencyLimit(perHost: 1, total: 2))
    let (a, b, c) = (origin("a"), origin("b"), origin("c"))
    let taken = [book.take(a), book.take(b), book.take(a), book.take(c), book.take(b)]
    #expect(taken == [true, true, false, false, false])
    let numbers = [book.join(a, "a2"), book.join(c, "c1"), book.join(b, "b2")]
    #expect(numbers == [1, 2, 3])
    // At a nobody has left yet, so the first there cannot go.
    let next = [book.giveBack(b), book.giveBack(a), book.giveBack(c), book.giveBack(a), book.giveBack(b)]
    #expect(next == ["c1", "a2", "b2", nil, nil])
    #expect((book.taken, book.waiting) == (0, 0))
  }

  @Test func `a body on its way holds its place until it has ended, however it does`() async throws {
    let bodies = (0..<5).map { _ in ScriptedBody() }
    let transport = ClosureTransport { HTTPResponse(body: bodies[Int($0.url.lastPathComponent)!].body) }
    let (pipeline, places) = stage(ConcurrencyLimit(perHost: 1), transport)
    func send(_ number: Int) async throws -> HTTPResponse {
      let response = try await pipeline.send(
        HTTPRequest(url: exampleURL.appending(path: "\(number)")), context: RequestContext())
      #expect(places.counts == (1, 0))
      return response
    }
    bodies[0].send("all")
    bodies[0].finish()
    #expect(try await send(0).body.collect(upTo: 10) == Data("all".utf8))
    #expect(places.counts == (0, 0))

    try await send(1).body.discard()
    #expect(places.counts == (0, 0))

    _ = try await send(2)
    #expect(places.counts == (0, 0))

    bodies[3].fail(APIError.transport(.truncated))
    await #expect(throws: APIError.transport(.truncated)) { try await send(3).body.collect(upTo: 10) }
    #expect(places.counts == (0, 0))

    let reading = Task { try await send(4).body.collect(upTo: 10) }
    while places.counts.taken == 0, !Task.isCancelled { await Task.yield() }
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    #expect(places.counts == (0, 0))
  }

  @Test func `a place is free again after a failure and a cancellation`() async throws {
    let transport = ClosureTransport { request in
      if request.path.hasSuffix("wait") { try await waitUntilCancelled() }
      throw APIError.transport(.connectionLost)
    }
    let (pipeline, places) = stage(ConcurrencyLimit(perHost: 1), transport)
    for _ in 0..<3 {
      await #expect(throws: APIError.transport(.connectionLost)) {
        try await pipeline.send(HTTPRequest(url: exampleURL), context: RequestContext())
      }
    }
    let call = Task {
      try await pipeline.send(HTTPRequest(url: exampleURL.appending(path: "wait")), context: RequestContext())
    }
    while places.counts.taken == 0, !Task.isCancelled { await Task.yield() }
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(places.counts == (0, 0))
  }

  @Test func `the call's limit ends the wait, and is what the error says`() async throws {
    let arrivals = Mutex(0)
    let client = makeClient(gate.transport) {
      $0.timeSource = clock.timeSource
      $0.concurrencyLimit = ConcurrencyLimit(perHost: 1)
      $0.observers = [events]
      $0.attemptMiddlewares = [
        .intercepting { request, context, next in
          arrivals.withLock { $0 += 1 }
          return try await next.send(request, context: context)
        }
      ]
    }
    let first = Task { try await client.send(Endpoint<String>(path: "a", timeout: .seconds(60))) }
    await gate.arrived(1)
    async let late = apiError { try await client.send(Endpoint<String>(path: "b")) }
    while arrivals.withLock({ $0 }) < 2, !Task.isCancelled { await Task.yield() }
    try await clock.waitForSleeper(until: .seconds(30))
    clock.advance(by: .seconds(30))
    #expect(try await late == .timedOut(.total))
    #expect(events.waits == [.seconds(30)])
    gate.answer()
    #expect(try await first.value == "tip")
    async let next = client.send(Endpoint<String>(path: "c"))
    await gate.arrived(2)
    gate.answer()
    #expect(try await next == "tip")
    #expect(gate.paths == ["a", "c"])
  }

  @Test func `observers are told how long an attempt waited, and only when it did`() async throws {
    let (pipeline, places) = stage(ConcurrencyLimit(perHost: 1), gate.transport)
    var calls = try await queue(2, in: pipeline, places)
    clock.advance(by: .seconds(2))
    calls += try await queue(1, in: pipeline, places, after: 2)
    clock.advance(by: .seconds(1))
    calls[2].cancel()
    _ = await calls[2].result
    #expect(events.waits == [.seconds(1)])
    try await finish([calls[0], calls[1]])
    #expect(events.waits == [.seconds(1), .seconds(3)])
  }

  @Test func `odd settings are borne`() async throws {
    let limit = ConcurrencyLimit(perHost: 0, total: -3, queue: -1)
    #expect(limit == ConcurrencyLimit(perHost: 1, total: 1, queue: 0))
    for limit in [limit, ConcurrencyLimit(perHost: nil)] {
      let client = makeClient(answering(.text("tip"))) { $0.concurrencyLimit = limit }
      #expect(try await client.send(Endpoint<String>(path: "a")) == "tip")
    }
  }

  private func origin(_ host: String) -> Origin { Origin(URL(string: "https://\(host).example/")!) }

  /// So many requests, whose paths are their numbers from `first`; one has the place, the others wait in order.
  private func queue(
    _ count: Int, in pipeline: any HTTPTransport, _ places: Places, after first: Int = 0
  ) async throws -> [Task<HTTPResponse, any Error>] {
    var context = RequestContext()
    context.events = EventEmitter(call: 1, observers: [events])
    var calls: [Task<HTTPResponse, any Error>] = []
    for number in first..<(first + count) {
      let request = HTTPRequest(url: exampleURL.appending(path: "\(number)"))
      calls.append(Task { [context] in try await pipeline.send(request, context: context) })
      if number == 0 { await gate.arrived(1) }
      while places.counts.waiting < number, !Task.isCancelled { await Task.yield() }
    }
    return calls
  }

  /// Answers one request after the other, and waits for their ends.
  private func finish(_ calls: [Task<HTTPResponse, any Error>]) async throws {
    for count in 1...calls.count {
      await gate.arrived(count)
      gate.answer()
    }
    for call in calls { _ = try await call.value }
  }
}
