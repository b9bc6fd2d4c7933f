import Foundation
import NetCache
import NetCore
import NetTesting
import Synchronization
import Testing

/// RFC 5861, section 3: a stale response is used while it is revalidated.
@Suite(.timeLimit(.minutes(1))) struct CacheRefreshTests {
  private let gate = Gate()

  /// A bench with a response that is stale and may be used for a minute; the second request waits for the gate.
  private func bench(
    maximumRefreshes: Int = 16, _ fields: HTTPFields = [:],
    configure: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) -> Bench {
    let bench = Bench(maximumRefreshes: maximumRefreshes, configure: configure)
    bench.server { [gate, clock = bench.clock] request, _ in
      if gate.isClosed { try await gate.pass() }
      var all: HTTPFields = [
        .cacheControl: "max-age=10, stale-while-revalidate=60", .date: HTTPDate.text(clock.timeSource.now),
        .eTag: "\"a\"",
      ]
      all.override(with: fields)
      return request.fields.contains(.ifNoneMatch)
        ? .status(.notModified, fields: all) : .text(request.path, fields: all)
    }
    return bench
  }

  private func makeStale(_ bench: Bench, _ paths: RequestPath...) async throws {
    for path in paths { _ = try await bench.get(path: path) }
    bench.clock.advance(by: .seconds(20))
    gate.close()
  }

  @Test func `the stale response comes at once, and the next is fresh`() async throws {
    let bench = bench()
    try await makeStale(bench, "x")
    let stale = try await bench.get()
    #expect(stale.info.cache == .staleHit(age: .seconds(20), .whileRevalidating))
    #expect(stale.info.attempts == 0 && stale.fields[.age] == "20")
    await gate.waiting(1)
    gate.open()
    try await bench.ended(calls: 3)
    #expect(try await bench.get().info.cache == .hit(age: .zero))
    #expect(bench.transport.requests[1].fields[.ifNoneMatch] == "\"a\"")
  }

  @Test func `a hundred calls cause one refresh`() async throws {
    let bench = bench()
    try await makeStale(bench, "x")
    try await withThrowingTaskGroup { group in
      for _ in 0..<100 { group.addTask { _ = try await bench.get() } }
      try await group.waitForAll()
    }
    await gate.waiting(1)
    #expect(bench.transport.requests.count == 2)
    gate.open()
    try await bench.ended(calls: 102)
    #expect(bench.transport.requests.count == 2)
    bench.clock.advance(by: .seconds(20))
    gate.close()
    _ = try await bench.get()
    await gate.waiting(1)
    gate.open()
    try await bench.ended(calls: 104)
  }

  @Test func `only so many are refreshed at a time`() async throws {
    let bench = bench(maximumRefreshes: 2)
    try await makeStale(bench, "a", "b", "c")
    for path: RequestPath in ["a", "b", "c"] {
      #expect(try await bench.get(path: path).info.cache == .staleHit(age: .seconds(20), .whileRevalidating))
    }
    await gate.waiting(2)
    #expect(bench.transport.requests.count == 5)
    gate.open()
    try await bench.ended(calls: 8)
    #expect(bench.transport.requests.count == 5)
  }

  @Test func `a refresh is a call of its own to observers`() async throws {
    let bench = bench()
    try await makeStale(bench, "x")
    _ = try await bench.get()
    await gate.waiting(1)
    gate.open()
    try await bench.ended(calls: 3)
    let events = bench.events.all
    #expect(events.filter { $0.call == 2 }.count == 3, "the start, the cache's answer, the end")
    let refresh = events.filter { $0.call == 3 }
    #expect(refresh.first.map { if case .started = $0.kind { true } else { false } } == true)
    #expect(refresh.last.map { if case .finished = $0.kind { true } else { false } } == true)
    #expect(events.contains { if case .request = $0.kind { $0.call == 3 } else { false } })
    #expect(bench.events.outcomes.last == .revalidated)
  }

  @Test(arguments: [HTTPClient.ShutdownMode.draining, .cancelling])
  func `it ends with a client that is shut down`(mode: HTTPClient.ShutdownMode) async throws {
    let bench = bench()
    try await makeStale(bench, "x")
    _ = try await bench.get()
    await gate.waiting(1)
    await bench.client.shutdown(mode)
    #expect(gate.cancellations == 1)
    try await bench.ended(calls: 3)
  }

  @Test func `it ends with a client that is dropped`() async throws {
    let store = MemoryCacheStore()
    let clock = TestClock(start: start)
    do {
      let bench = Bench(store: store)
      bench.server { [gate] _, _ in
        if gate.isClosed { try await gate.pass() }
        return .text("1", fields: [.cacheControl: "max-age=0, stale-while-revalidate=60", .date: date(0)])
      }
      _ = try await bench.get()
      gate.close()
      _ = try await bench.get()
      await gate.waiting(1)
    }
    while gate.cancellations == 0, !Task.isCancelled { await Task.yield() }
    _ = clock
  }

  @Test func `it has a time limit`() async throws {
    let bench = bench()
    try await makeStale(bench, "x")
    _ = try await bench.get()
    await gate.waiting(1)
    // One timer serves all calls: it wakes for the first call, which has ended, and then sleeps until the next limit.
    bench.clock.advance(by: .seconds(10))
    try await bench.clock.waitForSleeper(until: .seconds(50))
    bench.clock.advance(by: .seconds(20))
    try await bench.ended(calls: 3)
    #expect(gate.cancellations == 1)
  }

  @Test func `a refresh that fails leaves the stale response, and the next call tries again`() async throws {
    let bench = bench()
    try await makeStale(bench, "x")
    bench.server { _, _ in throw APIError.transport(.offline) }
    #expect(try await bench.get().info.cache == .staleHit(age: .seconds(20), .whileRevalidating))
    try await bench.ended(calls: 3)
    #expect(try await bench.get().info.cache == .staleHit(age: .seconds(20), .whileRevalidating))
    try await bench.ended(calls: 5)
    #expect(bench.transport.requests.count == 3)
  }

  @Test func `a body that streams is stored by the refresh itself`() async throws {
    let bench = bench()
    try await makeStale(bench, "x")
    bench.server { _, _ in
      HTTPResponse(
        fields: [.cacheControl: "max-age=60"], body: .init(length: nil, source: CountingSource(chunks: 3)))
    }
    let stale = try await bench.open()
    #expect(stale.info.cache == .staleHit(age: .seconds(20), .whileRevalidating))
    try await bench.ended(calls: 3 - 1)
    while try await bench.cache.info().bytes < 300 + 256, !Task.isCancelled { await Task.yield() }
    let fresh = try await bench.open()
    #expect(try await fresh.body.collect(upTo: 1_000).count == 300)
  }

  @Test(
    arguments: [
      ("within", "max-age=10, stale-while-revalidate=60", 70, [:], true),
      ("over", "max-age=10, stale-while-revalidate=60", 71, [:], false),
      ("must-revalidate", "max-age=10, stale-while-revalidate=60, must-revalidate", 20, [:], false),
      ("no-cache", "no-cache, stale-while-revalidate=60", 20, [:], false),
      ("malformed", "max-age=10, stale-while-revalidate=x", 20, [:], false),
      ("proxy-revalidate", "max-age=10, stale-while-revalidate=60, proxy-revalidate", 20, [:], true),
      (
        "a caller who wants it young", "max-age=10, stale-while-revalidate=60", 20, [.cacheControl: "max-age=15"], false
      ),
      (
        "a caller who wants it confirmed", "max-age=10, stale-while-revalidate=60", 20, [.cacheControl: "no-cache"],
        false
      ),
      (
        "a caller who wants it fresh", "max-age=10, stale-while-revalidate=60", 20, [.cacheControl: "min-fresh=1"],
        false
      ),
    ] as [(String, String, Int, HTTPFields, Bool)])
  func `RFC 5861, section 3: when it is allowed`(
    name: String, cacheControl: String, after: Int, fields: HTTPFields, isStale: Bool
  ) async throws {
    let bench = bench([.cacheControl: cacheControl])
    _ = try await bench.get()
    bench.clock.advance(by: .seconds(after))
    let outcome = try await bench.get(fields).info.cache
    #expect((outcome == .staleHit(age: .seconds(after), .whileRevalidating)) == isStale)
  }
}

/// Holds what passes while it is closed.
final class Gate: Sendable {
  private struct State {
    var isClosed = false
    var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    var lastNumber = 0
    var cancellations = 0
  }

  private let state = Mutex(State())

  var isClosed: Bool { state.withLock { $0.isClosed } }
  var cancellations: Int { state.withLock { $0.cancellations } }

  func close() {
    state.withLock { $0.isClosed = true }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isClosed = false
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until the gate opens, or the task is cancelled.
  func pass() async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = state.withLock { state in
          if Task.isCancelled {
            state.cancellations += 1
            return .failure(CancellationError())
          }
          guard state.isClosed else { return .success(()) }
          state.waiting[number] = continuation
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      state.withLock { state in
        let continuation = state.waiting.removeValue(forKey: number)
        if continuation != nil { state.cancellations += 1 }
        return continuation
      }?.resume(throwing: CancellationError())
    }
  }

  /// Returns when so many wait.
  func waiting(_ count: Int) async {
    while state.withLock({ $0.waiting.count }) < count, !Task.isCancelled { await Task.yield() }
  }
}

extension Bench {
  /// Returns when so many calls have ended, those beside other calls counted.
  func ended(calls count: Int) async throws {
    while events.all.count(where: { if case .finished = $0.kind { true } else { false } }) < count {
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}
