import NetCore
import NetTesting
import Synchronization
import Testing

/// Work beside calls, and the stage of a cache.
@Suite(.timeLimit(.minutes(1))) struct BackgroundTests {
  /// A cache that answers nothing itself, and does something beside each call.
  private struct Busy: HTTPCaching {
    let work: @Sendable (RequestContext) async throws -> Void
    let started = Kept<Bool>()
    let services = Kept<ClientServices>()

    func stage(in client: ClientServices) -> any HTTPMiddleware {
      services.keep(client)
      return .intercepting { request, context, next in
        started.keep(client.runInBackground(request, context: context, timeout: .seconds(7), work))
        context.report(.cache(.miss))
        return try await next.send(request, context: context)
      }
    }
  }

  private final class Kept<Value: Sendable>: Sendable {
    private let kept = Mutex<Value?>(nil)
    var value: Value? { kept.withLock { $0 } }
    func keep(_ new: Value) { kept.withLock { $0 = new } }
  }

  /// Ends a stream when its task is cancelled.
  private static func untilCancelled(_ ended: AsyncStream<Void>.Continuation)
    -> @Sendable (RequestContext) async throws -> Void
  {
    { _ in
      defer { ended.finish() }
      try await TestClock().sleep(until: .init(elapsed: .seconds(1)), tolerance: nil)
    }
  }

  @Test func `it is a call of its own, with its own number, limit and attempts`() async throws {
    let seen = Mutex<(Duration?, Int)?>(nil)
    let ended = AsyncStream.makeStream(of: Void.self)
    let events = Events()
    let client = makeClient(answering(.json("1"))) {
      $0.cache = Busy { context in
        seen.withLock { $0 = (context.deadline, context.attempt) }
        context.report(.cache(.revalidated))
        ended.continuation.finish()
      }
      $0.observers = [events]
    }
    _ = try await client.send(Endpoint<Int>(path: "a"))
    for await _ in ended.stream {}
    #expect(seen.withLock { $0?.0 } == .seconds(7))
    #expect(seen.withLock { $0?.1 } == 1)
    #expect(events.calls(with: .miss) == [1])
    #expect(events.calls(with: .revalidated) == [2])
    await client.shutdown()
  }

  @Test(arguments: [HTTPClient.ShutdownMode.draining, .cancelling])
  func `a shutdown cancels it and waits for its end, and then nothing starts`(mode: HTTPClient.ShutdownMode)
    async throws
  {
    let ended = AsyncStream.makeStream(of: Void.self)
    let cache = Busy(work: Self.untilCancelled(ended.continuation))
    let client = makeClient(answering(.json("1"))) { $0.cache = cache }
    _ = try await client.send(Endpoint<Int>(path: "a"))
    #expect(cache.started.value == true)
    await client.shutdown(mode)
    for await _ in ended.stream {}
    let services = try #require(cache.services.value)
    let request = HTTPRequest(url: exampleURL)
    #expect(!services.runInBackground(request, context: RequestContext(), timeout: .seconds(1)) { _ in })
  }

  @Test func `it ends with a client that is dropped`() async throws {
    let ended = AsyncStream.makeStream(of: Void.self)
    do {
      let client = makeClient(answering(.json("1"))) { $0.cache = Busy(work: Self.untilCancelled(ended.continuation)) }
      _ = try await client.send(Endpoint<Int>(path: "a"))
    }
    for await _ in ended.stream {}
  }

  @Test func `it ends at its own limit`() async throws {
    let ended = AsyncStream.makeStream(of: Void.self)
    let clock = TestClock()
    let client = makeClient(answering(.json("1"))) {
      $0.cache = Busy(work: Self.untilCancelled(ended.continuation))
      $0.timeSource = clock.timeSource
    }
    _ = try await client.send(Endpoint<Int>(path: "a"))
    try await clock.waitForSleeper(until: .seconds(7))
    clock.advance(by: .seconds(7))
    for await _ in ended.stream {}
    await client.shutdown()
  }

  /// Keeps which calls had which outcome.
  private final class Events: CallObserver {
    private let list = Mutex<[(Int, CacheOutcome)]>([])

    func observe(_ event: CallEvent) {
      if case .cache(let outcome) = event.kind { list.withLock { $0.append((event.call, outcome)) } }
    }

    func calls(with outcome: CacheOutcome) -> [Int] {
      list.withLock { $0.filter { $0.1 == outcome }.map(\.0) }
    }
  }
}
