import Foundation
import NetCore
import NetLoopback
import NetURLSession
import Testing

@Suite(.timeLimit(.minutes(1))) struct CancellationTests {
  @Test func `a cancelled task sends nothing`() async throws {
    try await withServer { _ in
      .text("hello")
    } run: { wire in
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await wire.send()
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(wire.server.counts.connections == 0)
    }
  }

  @Test(
    arguments: [
      LoopbackResponse.noReply(by: .stall), .stalling(after: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel"),
    ])
  func `cancelling a call ends it at once and closes its connection`(reply: LoopbackResponse) async throws {
    try await withServer { _ in
      reply
    } run: { wire in
      let task = Task { try await wire.send() }
      try await wire.server.wait { $0.requests == 1 }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      try await wire.server.wait { $0.openConnections == 0 }
    }
  }

  @Test func `cancelling a reader ends its wait and closes the connection`() async throws {
    try await withServer { _ in
      .stalling(after: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel")
    } run: { wire in
      let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
      let task = Task {
        for try await chunk in try await wire.send(delivery: .streaming).body { continuation.yield(chunk) }
      }
      #expect(await chunks.first { _ in true } == Data("hel".utf8))
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      try await wire.server.wait { $0.openConnections == 0 }
    }
  }

  @Test func `a body dropped unread closes its connection`() async throws {
    try await withServer { _ in
      .stalling(after: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel")
    } run: { wire in
      _ = try await wire.send(delivery: .streaming)
      try await wire.server.wait { $0.openConnections == 0 }
    }
  }

  @Test func `a body outlives its transport`() async throws {
    let body = try await {
      let server = try await LoopbackServer.start { _ in .text("hello") }
      let request = HTTPRequest(url: server.baseURL)
      let response = try await URLSessionTransport().send(request, context: RequestContext())
      return (server, response.body)
    }()
    #expect(try await body.1.collect(upTo: 10) == Data("hello".utf8))
    await body.0.stop()
  }

  @Test func `a storm of cancellations leaves every call ended and no connection open`() async throws {
    try await withServer { request in
      switch request.path {
      case "/0": .noReply(by: .stall)
      case "/1": .raw("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")
      case "/2": .raw("HTTP/1.1 401 X\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n")
      case "/3": .bytes(Data(count: 200_000))
      default: .text("hello")
      }
    } run: { wire in
      try await withThrowingTaskGroup { group in
        for worker in 0..<24 {
          group.addTask {
            for round in 0..<40 {
              let call = Task {
                let response = try await wire.send(
                  .get, "/\(round % 5)", delivery: deliveries[worker % deliveries.count])
                return try await response.text.utf8.count
              }
              // As many turns of the pool as it takes to hit every stage of an exchange.
              for _ in 0..<((worker * 7 + round * 3) % 60) { await Task.yield() }
              call.cancel()
              if case .failure(let error) = await call.result { #expect(error is CancellationError) }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await wire.send(.get, "/").text == "hello")
    }
  }

  @Test func `a transport's session goes with it`() async throws {
    try await withServer { _ in
      .text("hello")
    } run: { wire in
      var transport: URLSessionTransport? = URLSessionTransport()
      weak let session = Mirror(reflecting: transport!).descendant("session") as AnyObject?
      #expect(session != nil)
      _ = try await transport?.send(
        HTTPRequest(url: wire.url("/")), context: RequestContext(delivery: .collected(upTo: 9)))
      transport = nil
      while session != nil, !Task.isCancelled { await Task.yield() }
    }
  }
}
