import Foundation
import NetCore
import NetCurl
import NetLoopback
import NetTesting
import Synchronization
import Testing

/// The client's limits, as a server sees them that counts for itself.
@Suite(.timeLimit(.minutes(2))) struct LimitTests {
  /// How many requests a server handles, and the most it did at a time.
  private final class Meter: Sendable {
    private let counts = Mutex((now: 0, most: 0, all: 0))

    var most: Int { counts.withLock { $0.most } }
    var all: Int { counts.withLock { $0.all } }

    func measure<Result>(_ body: () async throws -> Result) async rethrows -> Result {
      counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.all + 1) }
      defer { counts.withLock { $0.now -= 1 } }
      return try await body()
    }
  }

  private func client(
    _ server: LoopbackServer, _ transport: any HTTPTransport, _ configure: (inout HTTPClient.Configuration) -> Void
  ) -> HTTPClient {
    var configuration = HTTPClient.Configuration(baseURL: server.baseURL)
    configuration.timeout = .seconds(100)
    configure(&configuration)
    return HTTPClient(configuration, transport: transport)
  }

  @Test func `10,000 calls through a limit of 8: the server never has more at once`() async throws {
    let meter = Meter()
    try await LoopbackServer.with { request in
      await meter.measure {
        await Task.yield()
        return .text(request.path)
      }
    } run: { server in
      let client = client(server, CurlTransport()) {
        $0.concurrencyLimit = ConcurrencyLimit(perHost: 8, queue: 10_000)
      }
      let answers = try await withThrowingTaskGroup(of: String.self) { group in
        for number in 0..<10_000 {
          group.addTask { try await client.send(Endpoint<String>(path: "\(number)")) }
        }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(answers.count == 10_000)
      #expect(meter.all == 10_000)
      #expect(meter.most <= 8)
      #expect(server.counts.connections <= 16)
    }
  }

  @Test func `bodies that are read as they arrive hold their places until they end`() async throws {
    let meter = Meter()
    let chunk = Data(repeating: 1, count: 100_000)
    try await LoopbackServer.with { _ in
      await meter.measure {
        LoopbackResponse(
          body: HTTPBody(isReplayable: false) {
            AsyncStream<Data> { stream in
              for _ in 0..<5 { stream.yield(chunk) }
              stream.finish()
            }
          })
      }
    } run: { server in
      let client = client(server, CurlTransport()) { $0.concurrencyLimit = ConcurrencyLimit(perHost: 2) }
      let open = Meter()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<60 {
          group.addTask {
            let response = try await client.open(Endpoint<Void>(path: "\(number)"))
            try await open.measure {
              // Some are read, some given up after a chunk.
              for try await _ in response.body where number % 3 == 0 { break }
              response.body.discard()
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(meter.all == 60)
      // Who has been answered may still be counting down when the next has its answer.
      #expect(open.most <= 4)
    }
  }

  @Test func `a server that is reset, and one that is slow, open the circuit; it closes when they are well`()
    async throws
  {
    let isWell = Mutex(false)
    let clock = TestClock()
    let meter = Meter()
    try await LoopbackServer.with { _ in
      await meter.measure { isWell.withLock { $0 } ? .text("tip") : .noReply(by: .reset) }
    } run: { server in
      let client = client(server, CurlTransport()) {
        $0.timeSource = clock.timeSource
        $0.circuitBreaker = CircuitBreaker()
        $0.circuitBreaker?.minimumCalls = 5
      }
      for _ in 0..<5 {
        await #expect(throws: APIError.transport(.connectionLost)) {
          try await client.send(Endpoint<String>(path: "a"))
        }
      }
      for _ in 0..<50 {
        await #expect(throws: APIError.rejected(.circuitOpen)) { try await client.send(Endpoint<String>(path: "a")) }
      }
      #expect(meter.all == 5)
      isWell.withLock { $0 = true }
      clock.advance(by: .seconds(15))
      let tip = try await client.send(Endpoint<String>(path: "a"))
      #expect(tip == "tip")
      #expect(meter.all == 6)
    }
  }

  @Test func `a server's RateLimit is obeyed: it refuses nobody`() async throws {
    let clock = TestClock()
    let quota = Mutex((left: 3, refused: 0))
    try await LoopbackServer.with { _ in
      let (left, isRefused) = quota.withLock { quota in
        if quota.left == 0 { quota.refused += 1 } else { quota.left -= 1 }
        return (quota.left, quota.refused > 0)
      }
      var response = LoopbackResponse.text("tip", status: isRefused ? .tooManyRequests : .ok)
      response.fields["RateLimit-Policy"] = #""burst";q=3;w=30"#
      response.fields["RateLimit"] = #""burst";r=\#(left);t=30"#
      return response
    } run: { server in
      let client = client(server, CurlTransport()) {
        $0.timeSource = clock.timeSource
        $0.rateLimit = .asServerSays
        $0.concurrencyLimit = ConcurrencyLimit(perHost: 1)
      }
      for _ in 0..<3 { try await client.send(Endpoint<String>(path: "a")) }
      async let next = client.send(Endpoint<String>(path: "a"))
      try await clock.waitForSleeper(until: .seconds(30))
      quota.withLock { $0.left = 3 }
      clock.advance(by: .seconds(30))
      #expect(try await next == "tip")
      #expect(quota.withLock { $0.refused } == 0)
    }
  }
}
