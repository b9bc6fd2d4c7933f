import Foundation
import NetCore
import NetLoopback
import Testing

/// Floods and slow clients: every size and time has a limit.
@Suite(.timeLimit(.minutes(1))) struct LoopbackLimitTests {
  /// Small limits, so that the tests are quick. Times are real here: they are the server's own.
  private static let small = {
    var configuration = LoopbackServer.Configuration()
    configuration.maximumRequestLineLength = 100
    configuration.maximumFieldCount = 10
    configuration.maximumFieldsSize = 1_000
    configuration.maximumBodySize = 10_000
    configuration.headTime = .milliseconds(200)
    configuration.bodyIdleTime = .milliseconds(200)
    configuration.keepAliveTime = .milliseconds(200)
    configuration.sendIdleTime = .milliseconds(200)
    return configuration
  }()

  private func answer(to request: String) async throws -> String {
    try await LoopbackServer.with(
      configuration: Self.small,
      handler: { request in
        .text("\(try await request.body.collect().count)")
      }
    ) { try await RawClient.exchange(port: $0.port, request) }
  }

  @Test func `refuses a request line, fields and content past their limits`() async throws {
    let head = "POST / HTTP/1.1\r\nHost: h\r\n"
    let long = String(repeating: "x", count: 1_000)
    let table: [(String, Int)] = [
      ("GET /\(long) HTTP/1.1\r\nHost: h\r\n\r\n", 414),
      ("GET /\(long)", 414),
      (head + "X: \(long)\r\n\r\n", 431),
      (head + "X: \(long)", 431),
      (head + String(repeating: "X: y\r\n", count: 10) + "\r\n", 431),
      (head + String(repeating: "X: \(long.prefix(200))\r\n", count: 5) + "\r\n", 431),
      (head + "Content-Length: 10001\r\n\r\n", 413),
      (head + "Content-Length: 10001\r\nExpect: 100-continue\r\n\r\n", 413),
      (
        head + "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: "100\r\n\(long.prefix(256))\r\n", count: 40),
        413
      ),
      (head + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: \(long)\r\n\r\n", 431),
    ]
    for (request, status) in table {
      let answer = try await answer(to: request)
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(request.prefix(60))")
      #expect(answer.contains("\r\nConnection: close\r\n"))
    }
  }

  @Test func `lets a client that floods read why it is refused`() async throws {
    try await LoopbackServer.with(configuration: Self.small, handler: { _ in .text("ok") }) { server in
      let client = try RawClient(port: server.port)
      await client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n")
      #expect(await client.send(Data(count: 5_000_000)) == 5_000_000)
      #expect(try await client.receiveToEnd().hasPrefix("HTTP/1.1 413 "))
    }
  }

  @Test func `accepts what just fits`() async throws {
    let line = "GET /" + String(repeating: "x", count: 100 - 14) + " HTTP/1.1"
    let fields = "Host: h\r\n" + String(repeating: "X: y\r\n", count: 8) + "Connection: close\r\n"
    #expect(line.count == 100)
    #expect(try await answer(to: line + "\r\n" + fields + "\r\n").hasPrefix("HTTP/1.1 200 "))
    let body = String(repeating: "x", count: 10_000)
    let post = "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 10000\r\n\r\n" + body
    #expect(try await answer(to: post).hasSuffix("10000"))
  }

  @Test(arguments: [
    "", "GET / HT", "GET / HTTP/1.1\r\nHost: h\r\n", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\na",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab",
  ])
  func `gives up a request that stops coming`(part: String) async throws {
    let answer = try await answer(to: part)
    #expect(part.isEmpty ? answer.isEmpty : answer.hasPrefix("HTTP/1.1 408 "))
  }

  @Test func `gives up a head that drips, however steadily`() async throws {
    try await LoopbackServer.with(configuration: Self.small, handler: { _ in .text("ok") }) { server in
      let client = try RawClient(port: server.port)
      await client.send("GET / HTTP/1.1\r\n")
      let dripping = Task {
        while !Task.isCancelled {
          await client.send("X")
          try await Task.sleep(for: .milliseconds(5))
        }
      }
      try await server.wait { $0.connections == 1 && $0.openConnections == 0 }
      dripping.cancel()
      #expect(server.counts.requests == 0)
      #expect(try await client.receive { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 408 "))
    }
  }

  @Test func `gives up a body that drips, however steadily`() async throws {
    var configuration = LoopbackServer.Configuration()
    configuration.bodyTime = .milliseconds(200)
    try await LoopbackServer.with(
      configuration: configuration,
      handler: { request in
        .bytes(try await request.body.collect())
      }
    ) { server in
      let client = try RawClient(port: server.port)
      await client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n")
      let dripping = Task {
        while !Task.isCancelled {
          await client.send("x")
          try await Task.sleep(for: .milliseconds(5))
        }
      }
      try await server.wait { $0.requests == 1 && $0.activeRequests == 0 }
      dripping.cancel()
      #expect(try await client.receive { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 408 "))
    }
  }

  @Test func `ends an idle connection without a word`() async throws {
    let answer = try await answer(to: "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(answer.hasSuffix("\r\n\r\n0"))
  }

  @Test func `resets a client that takes nothing`() async throws {
    try await LoopbackServer.with(
      configuration: Self.small, handler: { _ in .bytes(Data(count: 50_000_000)) }
    ) { server in
      let client = try RawClient(port: server.port)
      await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
      try await server.wait { $0.requests == 1 && $0.openConnections == 0 }
      await #expect(throws: RawClient.Failure.reset) { try await client.receiveToEnd() }
    }
  }

  @Test func `holds back connections past the limit until one ends`() async throws {
    var configuration = LoopbackServer.Configuration()
    configuration.maximumConnections = 2
    try await LoopbackServer.with(configuration: configuration, handler: { _ in .text("ok") }) { server in
      let kept = [try RawClient(port: server.port), try RawClient(port: server.port)]
      for client in kept {
        await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        _ = try await client.receive { $0.hasSuffix("ok") }
      }
      let waiting = try RawClient(port: server.port)
      await waiting.send("GET / HTTP/1.0\r\n\r\n")
      #expect(server.counts.connections == 2)
      kept[0].endSending()
      #expect(try await waiting.receiveToEnd().hasSuffix("ok"))
      #expect(server.counts.connections == 3)
    }
  }

  @Test func `receives no faster than a handler reads`() async throws {
    let gate = AsyncStream<Void>.makeStream()
    try await LoopbackServer.with(handler: { request in
      for await _ in gate.stream { break }
      return .text("\(try await request.body.collect(upTo: 100_000_000).count)")
    }) { server in
      let client = try RawClient(port: server.port)
      await client.send("POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 50000000\r\n\r\n")
      // The kernel's buffers and the server's hold far less than all of it.
      let held = await client.send(Data(count: 50_000_000), patience: 200)
      #expect(held < 40_000_000)
      gate.continuation.yield()
      await client.send(Data(count: 50_000_000 - held))
      #expect(try await client.receiveToEnd().hasSuffix("50000000"))
    }
  }
}
