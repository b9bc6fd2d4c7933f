import NetCore
import NetCurl
import NetLoopback
import NetTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.timeLimit(.minutes(1)))
struct TimeAndCancellationTests {
  private typealias Limits = CurlTransport.TimeLimits

  @Test(arguments: Delivery.allCases)
  func `each limit of time has its own error`(_ delivery: Delivery) async throws {
    let listener = try SilentListener()
    let silent = try await LoopbackServer.start { _ in .noReply(by: .stall) }
    let stalling = try await LoopbackServer.start { _ in
      .text("some longer text").breaking(.inBody(after: 3), by: .stall)
    }
    let slow = try await LoopbackServer.start { _ in .text("some text").dripping(bytes: 1, every: .milliseconds(40)) }
    let limit = Duration.milliseconds(100)
    let cases: [(URL, TransportFailure.Phase, WritableKeyPath<CurlTransport.TimeLimits, Duration?>)] = [
      (try #require(URL(string: "https://127.0.0.1:\(listener.port)/")), .connect, \.connect),
      (try silent.url("/"), .firstByte, \.firstByte),
      (try stalling.url("/"), .idle, \.idle),
      (try slow.url("/"), .attempt, \.attempt),
    ]
    for (url, phase, setting) in cases {
      let transport = try CurlTransport.with { $0.limits[keyPath: setting] = limit }
      let error = await #expect(throws: APIError.self) { try await transport.whole(HTTPRequest(url: url), delivery) }
      #expect(error == .timedOut(phase))
      #expect(error?.mayHaveReachedServer == (phase != .connect))
    }
    withExtendedLifetime(listener) {}
  }

  @Test(arguments: Delivery.allCases)
  func `cancelling before the head closes the connection`(_ delivery: Delivery) async throws {
    let server = try await LoopbackServer.start { _ in .noReply(by: .stall) }
    try await Self.cancelling(server, delivery, once: { $0.requests == 1 })
  }

  @Test(arguments: Delivery.allCases)
  func `cancelling in the body closes the connection`(_ delivery: Delivery) async throws {
    let server = try await LoopbackServer.start { _ in .text("some longer text").breaking(.inBody(after: 3), by: .stall)
    }
    try await Self.cancelling(server, delivery, once: { $0.requests == 1 })
  }

  private static func cancelling(
    _ server: LoopbackServer, _ delivery: Delivery, once isTime: @escaping @Sendable (LoopbackServer.Counts) -> Bool
  ) async throws {
    let transport = CurlTransport()
    let request = HTTPRequest(url: try server.url())
    let task = Task { try await transport.whole(request, delivery) }
    try await server.wait(until: isTime)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await server.wait { $0.openConnections == 0 }
  }

  @Test(arguments: [APIError.timedOut(.total), .timedOut(.attempt)])
  func `a client's limit ends the exchange and closes the connection`(_ failure: APIError) async throws {
    let server = try await LoopbackServer.start { _ in .noReply(by: .stall) }
    let clock = TestClock()
    var configuration = HTTPClient.Configuration(baseURL: try server.url())
    configuration.timeSource = clock.timeSource
    configuration.timeout = failure == .timedOut(.total) ? .seconds(7) : .seconds(70)
    configuration.attemptTimeout = failure == .timedOut(.total) ? nil : .seconds(7)
    let client = HTTPClient(configuration, transport: CurlTransport())
    let call = Task { try await client.send(Endpoint<Void>(path: "a")) }
    try await server.wait { $0.requests == 1 }
    try await clock.waitForSleeper(until: .seconds(7))
    clock.advance(by: .seconds(7))
    await #expect(throws: failure) { try await call.value }
    try await server.wait { $0.openConnections == 0 }
  }

  @Test func `a client that is shut down ends the exchange and closes the connection`() async throws {
    let server = try await LoopbackServer.start { _ in .noReply(by: .stall) }
    let client = HTTPClient(baseURL: try server.url(), transport: CurlTransport())
    let call = Task { try await client.send(Endpoint<Void>(path: "a")) }
    try await server.wait { $0.requests == 1 }
    await client.shutdown(.cancelling)
    await #expect(throws: CancellationError.self) { try await call.value }
    try await server.wait { $0.openConnections == 0 }
  }

  @Test func `a task cancelled before asks for nothing`() async throws {
    let server = try await LoopbackServer.start { _ in .text("hello") }
    let request = HTTPRequest(url: try server.url())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await CurlTransport().whole(request)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(server.counts.connections == 0)
  }

  @Test func `cancelling at any moment ends each request in one of the documented ways`() async throws {
    let server = try await LoopbackServer.start { _ in .bytes(pattern(100_000)) }
    let transport = try CurlTransport.with { $0.limits.connect = nil }
    let request = HTTPRequest(url: try server.url())
    await withTaskGroup { group in
      for number in 0..<400 {
        group.addTask {
          let task = Task { try await transport.whole(request, number.isMultiple(of: 2) ? .collected : .streaming) }
          for _ in 0..<(number * 7 % 50) { await Task.yield() }
          task.cancel()
          do {
            #expect(try await task.value.body == pattern(100_000))
          } catch {
            #expect(error is CancellationError)
          }
        }
      }
    }
    await transport.shutdown()
    try await server.wait { $0.openConnections == 0 }
  }

  @Test func `a body that is dropped closes its connection`() async throws {
    let server = try await LoopbackServer.start { _ in .bytes(pattern(50_000_000)) }
    let transport = CurlTransport()
    for wayOut in 0..<3 {
      let response = try await transport.send(HTTPRequest(url: try server.url()), context: RequestContext())
      switch wayOut {
      case 0: response.body.discard()
      case 1: for try await _ in response.body { break }
      default: break
      }
    }
    try await server.wait { $0.openConnections == 0 }
  }

  @Test func `a reader that is slow is not overrun`() async throws {
    let sent = Counter()
    let server = try await LoopbackServer.start { _ in
      LoopbackResponse(
        body: HTTPBody(isReplayable: false) {
          AsyncStream { sent.add(1) <= 2_000 ? pattern(100_000) : nil }
        })
    }
    let response = try await CurlTransport().send(HTTPRequest(url: try server.url()), context: RequestContext())
    var read = 0
    for try await chunk in response.body {
      read += chunk.count
      // What is not read yet lies in the buffers of both sockets, which Linux lets grow to many MB, and in our two.
      #expect(sent.value * 100_000 - read < 60_000_000)
    }
    #expect(read == 200_000_000)
  }

  @Test func `shutting down cancels what is under way and refuses what comes`() async throws {
    let server = try await LoopbackServer.start { _ in .noReply(by: .stall) }
    let transport = CurlTransport()
    let request = HTTPRequest(url: try server.url())
    let task = Task { try await transport.whole(request) }
    try await server.wait { $0.requests == 1 }
    await transport.shutdown()
    await #expect(throws: CancellationError.self) { try await task.value }
    await #expect(throws: APIError.invalidRequest) { try await transport.whole(request) }
    try await server.wait { $0.openConnections == 0 }
  }

  @Test func `the last reference gone closes everything, a thousand times`() async throws {
    let server = try await LoopbackServer.start { _ in .text("hello") }
    let request = HTTPRequest(url: try server.url())
    for _ in 0..<1_000 {
      #expect(try await CurlTransport().whole(request, .collected).text == "hello")
    }
    try await server.wait { $0.openConnections == 0 }
    #expect(server.counts.connections == 1_000)
  }

  @Test func `a body outlives its transport`() async throws {
    let server = try await LoopbackServer.start { _ in .bytes(pattern(5_000_000)) }
    let response = try await CurlTransport().send(HTTPRequest(url: try server.url()), context: RequestContext())
    #expect(try await response.body.collect(upTo: 5_000_000) == pattern(5_000_000))
    try await server.wait { $0.openConnections == 0 }
  }
}
