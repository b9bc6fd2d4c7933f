import Foundation
import NetTesting
import Synchronization
import TestSupport
import Testing

@testable import NetCore

private let call = Endpoint<String>(path: "a")

@Suite(.timeLimit(.minutes(1))) struct RateLimitTests {
  private let clock = TestClock()
  private let events = EventList()

  /// A pipeline of the stage alone, and its limiter.
  private func stage(_ limit: RateLimit, _ transport: any HTTPTransport) -> (any HTTPTransport, RateLimiter) {
    let limiter = RateLimiter(limit: limit, timeSource: clock.timeSource)
    return (transport.behind([RateLimiting(limiter: limiter, timeSource: clock.timeSource)]), limiter)
  }

  private func client(
    _ transport: any HTTPTransport, _ limit: RateLimit, _ configure: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) -> HTTPClient {
    makeClient(transport) {
      $0.timeSource = clock.timeSource
      $0.rateLimit = limit
      $0.observers = [events]
      configure(&$0)
    }
  }

  @Test func `ten calls under 2 a second go in their order, and take 4.5 seconds`() async throws {
    let sent = Mutex<[Duration]>([])
    let transport = ClosureTransport { [clock] _ in
      sent.withLock { $0.append(clock.now.elapsed) }
      return .text("tip")
    }
    let (pipeline, limiter) = stage(RateLimit(2, per: .seconds(1)), transport)
    let calls = await queue(10, in: pipeline, limiter, first: transport)
    for step in 1..<10 {
      try await clock.waitForSleeper(until: .milliseconds(500 * step))
      clock.advance(by: .milliseconds(500))
    }
    for call in calls { _ = try await call.value }
    #expect(sent.withLock { $0 } == (0..<10).map { .milliseconds(500 * $0) })
    #expect(transport.requests.map(\.url.lastPathComponent) == (0..<10).map(String.init))
    #expect(events.waits == (1..<10).map { .milliseconds(500 * $0) })
    #expect(limiter.waiting(for: Origin(exampleURL)) == 0)
  }

  @Test func `each host has a bucket of its own`() async throws {
    let (pipeline, _) = stage(RateLimit(1, per: .seconds(9)), answering(.text("tip")))
    for host in ["a", "b", "c"] {
      _ = try await pipeline.send(
        HTTPRequest(url: URL(string: "https://\(host).example/")!), context: RequestContext(deadline: .seconds(1)))
    }
  }

  @Test func `cancelling while waiting takes no token and leaves the turn to the next`() async throws {
    let transport = answering(.text("tip"))
    let (pipeline, limiter) = stage(RateLimit(1, per: .seconds(1)), transport)
    let calls = await queue(5, in: pipeline, limiter, first: transport)
    // 1 sleeps for its token, 3 waits behind it.
    for number in [1, 3] {
      calls[number].cancel()
      await #expect(throws: CancellationError.self) { try await calls[number].value }
    }
    for second in [1, 2] {
      try await clock.waitForSleeper(until: .seconds(second))
      clock.advance(by: .seconds(1))
    }
    for number in [0, 2, 4] { _ = try await calls[number].value }
    #expect(transport.requests.map(\.url.lastPathComponent) == ["0", "2", "4"])
    #expect(limiter.waiting(for: Origin(exampleURL)) == 0)
  }

  @Test func `a wait that would pass the deadline is not begun, and the error says how long it is`() async throws {
    let transport = answering(.text("tip"))
    let client = client(transport, RateLimit(1, per: .seconds(40)))
    #expect(try await client.send(call) == "tip")
    clock.advance(by: .seconds(4))
    let error = try await apiError { try await client.send(call) }
    #expect(error == .rejected(.rateLimit))
    #expect(error.retryAfter == .seconds(36))
    #expect(error.reason.contains("https://api.example.com is in 36.00 s, after the call's time limit"))
    #expect(!error.mayHaveReachedServer && error.attempts == 0)
    #expect(error.request?.url == "https://api.example.com/v1/a")
    #expect(transport.requests.count == 1)
    clock.advance(by: .seconds(36))
    #expect(try await client.send(call) == "tip")
  }

  @Test func `who waits counts in the wait of those who come later`() async throws {
    let transport = answering(.text("tip"))
    let (pipeline, limiter) = stage(RateLimit(1, per: .seconds(1)), transport)
    let calls = await queue(3, in: pipeline, limiter, first: transport)
    for (deadline, isRejected) in [(3, true), (4, false)] {
      let context = RequestContext(deadline: .seconds(deadline))
      let late = Task { try await pipeline.send(HTTPRequest(url: exampleURL), context: context) }
      guard isRejected else {
        while limiter.waiting(for: Origin(exampleURL)) < 3, !Task.isCancelled { await Task.yield() }
        late.cancel()
        continue
      }
      await #expect(throws: APIError.rejected(.rateLimit)) { try await late.value }
    }
    for call in calls { call.cancel() }
  }

  @Test func `a full queue refuses at once`() async throws {
    let transport = answering(.text("tip"))
    var limit = RateLimit(1, per: .seconds(1))
    limit.queue = 2
    let (pipeline, limiter) = stage(limit, transport)
    let calls = await queue(3, in: pipeline, limiter, first: transport)
    let error = try await apiError { try await pipeline.send(HTTPRequest(url: exampleURL), context: RequestContext()) }
    #expect(error == .rejected(.queueFull))
    #expect(error.reason.contains("RateLimit"))
    for call in calls { call.cancel() }
  }

  @Test func `a server that asks for a pause is left alone by all calls`() async throws {
    let transport = ClosureTransport { request in
      request.path.hasSuffix("b") ? .status(429, fields: [.retryAfter: "7"]) : .text("tip")
    }
    let client = client(transport, .asServerSays)
    await #expect(throws: APIError.rateLimited) { try await client.send(Endpoint<String>(path: "b")) }
    let calls = (0..<3).map { _ in Task { try await client.send(call) } }
    try await clock.waitForSleeper(until: .seconds(7))
    #expect(transport.requests.count == 1)
    clock.advance(by: .seconds(7))
    for call in calls { #expect(try await call.value == "tip") }
  }

  @Test func `who waited for a place when the pause began waits for its end, without the place`() async throws {
    let first = Promise<Void>()
    let transport = ClosureTransport { request in
      guard request.path.hasSuffix("first") else { return .text("tip") }
      try await first.value()
      return .status(429, fields: [.retryAfter: "7"])
    }
    let limiter = RateLimiter(limit: .asServerSays, timeSource: clock.timeSource)
    let concurrency = ConcurrencyLimiting(limit: ConcurrencyLimit(perHost: 1), timeSource: clock.timeSource)
    let pipeline = transport.behind([
      RateLimiting(limiter: limiter, timeSource: clock.timeSource), concurrency, RateLimiting.Gate(limiter: limiter),
    ])
    var calls: [Task<HTTPResponse, any Error>] = []
    for (waiting, path) in ["first", "b", "c"].enumerated() {
      let request = HTTPRequest(url: exampleURL.appending(path: path))
      calls.append(Task { try await pipeline.send(request, context: RequestContext()) })
      while transport.requests.isEmpty || concurrency.places.counts.waiting < waiting, !Task.isCancelled {
        await Task.yield()
      }
    }
    first.fulfill(.success(()))
    while limiter.waiting(for: Origin(exampleURL)) < 2, !Task.isCancelled { await Task.yield() }
    #expect(concurrency.places.counts == (0, 0))
    #expect(transport.requests.count == 1)
    try await clock.waitForSleeper(until: .seconds(7))
    clock.advance(by: .seconds(7))
    for call in calls { _ = try await call.value }
    #expect(transport.requests.count == 3)
  }

  @Test func `a retry after 429 goes as soon as the pause is over`() async throws {
    let transport = ClosureTransport { request in
      request.attempt == 1 ? .status(429, fields: [.retryAfter: "7"]) : .text("tip")
    }
    let client = client(transport, RateLimit(10, per: .seconds(1))) { $0.retry = .standard }
    async let value = client.send(call)
    try await clock.waitForSleeper(until: .seconds(7))
    clock.advance(by: .seconds(7))
    #expect(try await value == "tip")
    #expect(events.waits == [])
  }

  @Test func `a pause has a bound`() async throws {
    let transport = ClosureTransport { request in
      request.path.hasSuffix("b") ? .status(503, fields: [.retryAfter: "86400"]) : .text("tip")
    }
    var limit = RateLimit.asServerSays
    limit.maximumPause = .seconds(10)
    let client = client(transport, limit)
    await #expect(throws: APIError.badStatus(503)) { try await client.send(Endpoint<String>(path: "b")) }
    async let value = client.send(call)
    try await clock.waitForSleeper(until: .seconds(10))
    clock.advance(by: .seconds(10))
    #expect(try await value == "tip")
  }

  @Test func `a pause that moves a turn past the deadline ends the wait when the turn would have come`() async throws {
    let (pipeline, limiter) = stage(RateLimit(1, per: .seconds(1)), answering(.text("tip")))
    _ = try await pipeline.send(HTTPRequest(url: exampleURL), context: RequestContext())
    let late = Task {
      try await pipeline.send(HTTPRequest(url: exampleURL), context: RequestContext(deadline: .seconds(5)))
    }
    try await clock.waitForSleeper(until: .seconds(1))
    limiter.listen(to: .status(429, fields: [.retryAfter: "9"]), from: Origin(exampleURL))
    clock.advance(by: .seconds(1))
    let error = try await apiError { try await late.value }
    #expect(error == .rejected(.rateLimit))
    #expect(error.retryAfter == .seconds(8))
    #expect(limiter.waiting(for: Origin(exampleURL)) == 0)
  }

  /// So many requests, whose paths are their numbers; the first has gone, the others wait in order.
  private func queue(
    _ count: Int, in pipeline: any HTTPTransport, _ limiter: RateLimiter, first transport: ClosureTransport
  ) async -> [Task<HTTPResponse, any Error>] {
    var context = RequestContext()
    context.events = EventEmitter(call: 1, observers: [events])
    var calls: [Task<HTTPResponse, any Error>] = []
    for number in 0..<count {
      let request = HTTPRequest(url: exampleURL.appending(path: "\(number)"))
      calls.append(Task { [context] in try await pipeline.send(request, context: context) })
      while transport.requests.isEmpty || limiter.waiting(for: Origin(exampleURL)) < number, !Task.isCancelled {
        await Task.yield()
      }
    }
    return calls
  }
}

@Suite struct TokenBucketTests {
  @Test(arguments: [1, 2, 5, 20])
  func `no period sees more than the count, and what the burst adds`(burst: Int) {
    var bucket = TokenBucket(RateLimit(5, per: .seconds(1), burst: burst))
    var random = SeededGenerator(seed: 3)
    var (now, taken) = (Duration.zero, [Duration]())
    for _ in 0..<5_000 {
      now += .milliseconds(Int.random(in: 0...(Bool.random(using: &random) ? 20 : 400), using: &random))
      while bucket.take(at: now) { taken.append(now) }
    }
    for (place, moment) in taken.enumerated() {
      let count = taken[place...].prefix { $0 < moment + .seconds(1) }.count
      #expect(count <= 5 + burst - 1)
    }
    #expect(taken.prefix(burst).allSatisfy { $0 == taken[0] })
  }

  @Test func `it says when there will be tokens`() {
    var bucket = TokenBucket(RateLimit(2, per: .seconds(1), burst: 2))
    let taken = (0..<3).map { _ in bucket.take(at: .seconds(10)) }
    #expect(taken == [true, true, false])
    #expect((0..<3).map { bucket.moment(after: $0) } == [.seconds(10.5), .seconds(11), .seconds(11.5)])
    bucket.pause(until: .seconds(20))
    bucket.pause(until: .seconds(15))
    #expect((0..<2).map { bucket.moment(after: $0) } == [.seconds(20), .seconds(20.5)])
    #expect(!bucket.isFull(at: .seconds(20)) && bucket.isFull(at: .seconds(20.5)))
  }

  @Test func `odd settings are borne`() {
    for limit in [
      RateLimit(0, per: .seconds(-1), burst: -1), RateLimit(.max, per: .zero, burst: .max),
      RateLimit(.min, per: .seconds(Int64.max), burst: .max), .asServerSays,
    ] {
      var bucket = TokenBucket(limit)
      let isTaken = bucket.take(at: .seconds(1))
      #expect(isTaken)
      #expect(bucket.moment(after: 1_000_000) >= .zero)
    }
  }
}

private let now = Date(timeIntervalSince1970: 1_767_225_600)

@Suite struct ServerPauseTests {
  private func asked(_ status: HTTPResponse.Status = 200, _ fields: HTTPFields) -> Duration? {
    ServerPause.asked(by: .status(status, fields: fields), now: now)
  }

  @Test(
    arguments: [
      (429, "7", .seconds(7)), (503, "7", .seconds(7)), (503, "Thu, 01 Jan 2026 00:00:05 GMT", .seconds(5)),
      (503, "Thu, 01 Jan 2025 00:00:05 GMT", .zero), (429, "soon", nil), (429, "-1", nil), (200, "7", nil),
      (301, "7", nil), (500, "7", nil), (429, "99999999999999999999", .seconds(Int32.max)),
    ] as [(HTTPResponse.Status, String, Duration?)])
  func `Retry-After counts with 429 and 503`(status: HTTPResponse.Status, value: String, pause: Duration?) {
    #expect(asked(status, [.retryAfter: value]) == pause)
  }

  @Test(
    arguments: [
      (#""default";r=0;t=30"#, .seconds(30)), (#""default";r=1;t=30"#, nil), (#""default"; r=0; t=30"#, .seconds(30)),
      (#""a";r=5;t=10, "b";r=0;t=60"#, .seconds(60)), (#""a";r=0;t=10,"b";r=0;t=60"#, .seconds(60)),
      (#""a";pk=:c2VjcmV0:;r=0;t=4"#, .seconds(4)), (#"default;r=0;t=9"#, .seconds(9)),
      (#""a,b;r=9";r=0;t=3"#, .seconds(3)), (#""a\"b";r=0;t=3"#, .seconds(3)), (#""p";r=0"#, .seconds(60)),
      (#""unknown";r=0"#, nil), (#""a";r=0;t=-5"#, .zero), (#""a";r=-1;t=5"#, .seconds(5)),
      (#""a";x;r=0;y=?1;t=5;z=tok/en"#, .seconds(5)), ("limit=10, remaining=0, reset=30", .seconds(30)),
      ("limit=10, remaining=3, reset=30", nil), ("limit=10,remaining=0", nil), ("", nil), (" ", nil),
      (#""a";r=0;t=30,"#, nil), (#""a;r=0;t=30"#, nil), (#""a";r=0;t="#, nil), (#""a";r=zero;t=30"#, nil),
      (#""a";r=0 t=30"#, nil), (#"("a" "b");r=0;t=3"#, nil), (#""a";r=0;t=99999999999999999999"#, nil),
      (#""a";r=0;t=999999999999999"#, .seconds(Int32.max)), (#""a";r=0;t=1.5"#, nil), ("=;r=0;t=1", nil),
      (#"\"#, nil), (#"""#, nil), (#""a\"#, nil), (#""a";pk=:abc"#, nil),
    ] as [(String, Duration?)])
  func `RateLimit asks for a pause when nothing is left`(value: String, pause: Duration?) {
    #expect(asked(200, ["RateLimit": value, "RateLimit-Policy": #""p";q=10;w=60"#]) == pause)
  }

  @Test(
    arguments: [
      ("RateLimit", "0", "30", .seconds(30)), ("RateLimit", "1", "30", nil), ("X-RateLimit", "0", "30", .seconds(30)),
      ("X-RateLimit", "0", "1767225615", .seconds(15)), ("X-RateLimit", "0", "1767225500", .zero),
      ("X-RateLimit", "0", "1767225602.5", .seconds(2.5)), ("X-RateLimit", "0", "soon", nil),
      ("X-RateLimit", "", "30", nil), ("RateLimit", "0", "nan", nil), ("RateLimit", "0", "inf", nil),
      ("RateLimit", "0", "-3", .zero),
    ] as [(String, String, String, Duration?)])
  func `the older fields ask for one, too`(prefix: String, remaining: String, reset: String, pause: Duration?) throws {
    var fields: HTTPFields = [:]
    fields[try #require(HTTPField.Name(prefix + "-Limit"))] = "10"
    fields[try #require(HTTPField.Name(prefix + "-Remaining"))] = remaining
    fields[try #require(HTTPField.Name(prefix + "-Reset"))] = reset
    #expect(asked(200, fields) == pause)
  }

  @Test func `the longest pause counts, and fields may come twice`() {
    #expect(asked(429, [.retryAfter: "5", "RateLimit": #""a";r=0;t=9"#]) == .seconds(9))
    #expect(asked(200, ["RateLimit": #""a";r=0;t=9"#, "ratelimit": #""b";r=0;t=11"#]) == .seconds(11))
    #expect(asked(200, ["RateLimit": (0..<40).map { "a\($0);r=0;t=1" }.joined(separator: ",")]) == nil)
    #expect(asked(200, [.range: "x", "X-Request-ID": "y"]) == nil)
  }

  @Test func `random bytes make no trouble`() {
    var random = SeededGenerator(seed: 11)
    let alphabet = Array(#""\;,=:?@r0t1 -.a()*"#)
    for _ in 0..<20_000 {
      let text = String(
        (0..<Int.random(in: 0...24, using: &random)).map { _ in alphabet.randomElement(using: &random)! })
      _ = asked(200, ["RateLimit": text, "RateLimit-Policy": text])
    }
  }
}
