import Foundation
import NetCore
import NetLoopback
import TestSupport
import Testing

/// Starting, stopping, and many servers side by side.
@Suite(.timeLimit(.minutes(1))) struct LoopbackLifeTests {
  private let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

  /// The server ends the connection, in whichever way, and has sent nothing.
  private func expectEnd(of client: RawClient) async throws {
    do {
      #expect(try await client.receiveToEnd() == "")
    } catch RawClient.Failure.reset {}
  }

  @Test func `has a URL with its port on both addresses`() async throws {
    try await LoopbackServer.with(handler: { _ in .text("ok") }) { server in
      #expect(server.baseURL.absoluteString == "http://127.0.0.1:\(server.port)")
    }
    try await LoopbackServer.with(host: .ipv6, handler: { .text($0.remoteAddress) }) { server in
      #expect(server.baseURL.absoluteString == "http://[::1]:\(server.port)")
      let outcome = try await ChildProcess.run(["curl", "-s", "-g", "\(server.baseURL)"])
      #expect(outcome.text.hasPrefix("[::1]:"))
    }
  }

  @Test func `says why it cannot start`() async throws {
    try await LoopbackServer.with(handler: { _ in .text("ok") }) { server in
      await #expect(throws: LoopbackStartError.portInUse(server.port)) {
        _ = try await LoopbackServer.start(port: server.port) { _ in .text("ok") }
      }
    }
    await #expect(throws: LoopbackStartError.invalidPort(65_536)) {
      _ = try await LoopbackServer.start(port: 65_536) { _ in .text("ok") }
    }
  }

  @Test func `takes a port again right after it was stopped`() async throws {
    for attempt in 1... {
      let port = try await LoopbackServer.with(handler: { _ in .text("ok") }) { server in
        _ = try await RawClient.exchange(port: server.port, "GET / HTTP/1.0\r\n\r\n")
        return server.port
      }
      do {
        return try await LoopbackServer.with(port: port, handler: { _ in .text("ok") }) { #expect($0.port == port) }
      } catch LoopbackStartError.portInUse where attempt < 5 {
        // The server of another test was given the port in between.
      }
    }
  }

  @Test func `stops at once: closes connections and cancels handlers`() async throws {
    let cancelled = AsyncStream<Bool>.makeStream()
    let server = try await LoopbackServer.start { _ in
      do { try await Task.sleep(for: .seconds(3_600)) } catch { cancelled.continuation.yield(Task.isCancelled) }
      return .text("late")
    }
    let clients = [try RawClient(port: server.port), try RawClient(port: server.port)]
    await clients[0].send(request)
    try await server.wait { $0.activeRequests == 1 && $0.connections == 2 }
    await server.stop()
    await server.stop()
    #expect(server.counts.openConnections == 0)
    #expect(server.counts.activeRequests == 0)
    for await wasCancelled in cancelled.stream {
      #expect(wasCancelled)
      break
    }
    for client in clients { try await expectEnd(of: client) }
  }

  @Test func `stops gracefully: ends idle connections and finishes what is under way`() async throws {
    let gate = AsyncStream<Void>.makeStream()
    let server = try await LoopbackServer.start { request in
      if request.path == "/slow" { for await _ in gate.stream { break } }
      return .text("done")
    }
    let idle = try RawClient(port: server.port)
    await idle.send(request)
    _ = try await idle.receive { $0.hasSuffix("done") }
    async let busy = RawClient.exchange(port: server.port, "GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
    try await server.wait { $0.activeRequests == 1 }

    async let stopped: Void = server.stop(.graceful(within: .seconds(30)))
    #expect(try await idle.receiveToEnd() == "")
    gate.continuation.yield()
    let answer = try await busy
    #expect(answer.hasSuffix("done"))
    #expect(answer.contains("\r\nConnection: close\r\n"))
    await stopped
    #expect(server.counts.openConnections == 0)
  }

  @Test func `stops what does not finish in time`() async throws {
    let server = try await LoopbackServer.start { _ in
      try await Task.sleep(for: .seconds(3_600))
      return .text("late")
    }
    let client = try RawClient(port: server.port)
    await client.send(request)
    try await server.wait { $0.activeRequests == 1 }
    await server.stop(.graceful(within: .milliseconds(50)))
    #expect(server.counts.openConnections == 0)
    try await expectEnd(of: client)
  }

  @Test func `stops when the last reference goes`() async throws {
    var server: LoopbackServer? = try await LoopbackServer.start { _ in
      try await Task.sleep(for: .seconds(3_600))
      return .text("late")
    }
    let client = try RawClient(port: try #require(server).port)
    await client.send(request)
    try await server?.wait { $0.activeRequests == 1 }
    server = nil
    try await expectEnd(of: client)
  }

  @Test func `cancels a handler whose client leaves`() async throws {
    try await LoopbackServer.with(handler: { _ in
      try await Task.sleep(for: .seconds(3_600))
      return .text("late")
    }) { server in
      var client: RawClient? = try RawClient(port: server.port)
      await client?.send(request)
      try await server.wait { $0.activeRequests == 1 }
      client = nil
      try await server.wait { $0.activeRequests == 0 && $0.openConnections == 0 }
    }
  }

  @Test func `serves a client that only ends its half, when configured so`() async throws {
    let gate = AsyncStream<Void>.makeStream()
    var configuration = LoopbackServer.Configuration()
    configuration.cancelsHandlersOfLeavingClients = false
    try await LoopbackServer.with(
      configuration: configuration,
      handler: { request in
        await request.waitForClientToLeave()
        for await _ in gate.stream { break }
        try Task.checkCancellation()
        return .text("still here")
      }
    ) { server in
      let client = try RawClient(port: server.port)
      await client.send(request)
      client.endSending()
      gate.continuation.yield()
      #expect(try await client.receiveToEnd().hasSuffix("still here"))
    }
  }

  @Test func `runs hundreds of servers side by side`() async throws {
    try await withThrowingTaskGroup { group in
      for index in 0..<300 {
        group.addTask {
          try await LoopbackServer.with(handler: { _ in .text("server \(index)") }) { server in
            for _ in 0..<3 {
              let answer = try await RawClient.exchange(port: server.port, "GET / HTTP/1.0\r\n\r\n")
              #expect(answer.hasSuffix("\r\n\r\nserver \(index)"))
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  #if os(Linux)
  /// Other tests run meanwhile: a leak of one a server would show as a thousand.
  @Test func `leaves no descriptor and no thread behind`() async throws {
    let before = (count("/proc/self/fd"), count("/proc/self/task"))
    for _ in 0..<1_000 {
      try await LoopbackServer.with(handler: { _ in .text("ok") }) { server in
        _ = try await RawClient.exchange(port: server.port, "GET / HTTP/1.0\r\n\r\n")
      }
    }
    #expect(count("/proc/self/fd") < before.0 + 900)
    #expect(count("/proc/self/task") < before.1 + 900)
  }

  private func count(_ folder: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
  }
  #endif
}
