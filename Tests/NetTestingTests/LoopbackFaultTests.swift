import Foundation
import NetCore
import NetLoopback
import Testing

/// Responses that break on the way, and raw ones.
@Suite(.timeLimit(.minutes(1))) struct LoopbackFaultTests {
  private let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
  private let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"

  private func answer(_ response: LoopbackResponse) async throws -> String {
    var configuration = LoopbackServer.Configuration()
    configuration.sendsDate = false
    return try await LoopbackServer.with(configuration: configuration, handler: { _ in response }) {
      try await RawClient.exchange(port: $0.port, request)
    }
  }

  @Test func `closes before the reply, in the head, and in the body`() async throws {
    let response = LoopbackResponse(body: HTTPBody(Data("hello".utf8)))
    #expect(try await answer(.noReply()) == "")
    #expect(
      try await answer(response.breaking(.inHead))
        == String(decoding: head.utf8.prefix(head.utf8.count / 2), as: UTF8.self))
    #expect(try await answer(response.breaking(.inBody(after: 0))) == head)
    #expect(try await answer(response.breaking(.inBody(after: 2))) == head + "he")
  }

  @Test func `cuts a chunked body between chunks and inside one`() async throws {
    let body = HTTPBody(isReplayable: true) {
      AsyncStream { continuation in
        for text in ["abc", "def"] { continuation.yield(Data(text.utf8)) }
        continuation.finish()
      }
    }
    let response = LoopbackResponse(body: body)
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(try await answer(response.breaking(.inBody(after: 3))) == head + "3\r\nabc\r\n")
    #expect(try await answer(response.breaking(.inBody(after: 4))) == head + "3\r\nabc\r\n1\r\nd\r\n")
  }

  @Test(arguments: [LoopbackResponse.Fault.Place.beforeHead, .inHead, .inBody(after: 2)])
  func `resets the connection`(place: LoopbackResponse.Fault.Place) async throws {
    await #expect(throws: RawClient.Failure.reset) {
      let response = LoopbackResponse.text("hello").breaking(place, by: .reset)
      try await LoopbackServer.with(handler: { _ in response }) { server in
        let client = try RawClient(port: server.port)
        await client.send(request)
        try await server.wait { $0.connections == 1 && $0.openConnections == 0 }
        _ = try await client.receiveToEnd()
        _ = try await client.receiveToEnd()
      }
    }
  }

  @Test func `stalls until the client leaves`() async throws {
    try await LoopbackServer.with(handler: { _ in .text("hello").breaking(.inBody(after: 2), by: .stall) }) { server in
      let client = try RawClient(port: server.port)
      await client.send(request)
      #expect(try await client.receive { $0.hasSuffix("he") }.hasSuffix("\r\n\r\nhe"))
      #expect(server.counts.openConnections == 1)
      client.endSending()
      try await server.wait { $0.openConnections == 0 && $0.activeRequests == 0 }
    }
  }

  @Test(arguments: [LoopbackResponse.noReply(by: .stall), .raw([.waitForClientToLeave])])
  func `notices that the client leaves behind an upload that nobody reads`(response: LoopbackResponse) async throws {
    try await LoopbackServer.with(handler: { _ in response }) { server in
      let client = try RawClient(port: server.port)
      let size = 16 << 20
      await client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: \(size)\r\n\r\n")
      #expect(await client.send(Data(count: size)) == size)
      #expect(server.counts.openConnections == 1)
      client.endSending()
      try await server.wait { $0.openConnections == 0 && $0.activeRequests == 0 }
    }
  }

  @Test func `drips a response, every byte of it`() async throws {
    let response = LoopbackResponse(body: HTTPBody(Data("hello".utf8))).dripping(bytes: 3, every: .milliseconds(1))
    var closing = response
    closing.fields = [.connection: "close"]
    #expect(try await answer(closing).hasSuffix("Connection: close\r\n\r\nhello"))
  }

  @Test func `sends a script as it is, and keeps the connection when asked to`() async throws {
    let gate = AsyncStream<Void>.makeStream()
    try await LoopbackServer.with(handler: { request in
      if request.requestNumber == 2 { return .raw("not HTTP at all") }
      return .raw(
        [
          .send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), .wait { for await _ in gate.stream { break } },
          .pause(.milliseconds(1)), .send("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"),
        ], keepsConnection: true)
    }) { server in
      let client = try RawClient(port: server.port)
      await client.send(request)
      let hint = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
      #expect(try await client.receive { $0.hasSuffix("\r\n\r\n") } == hint)
      gate.continuation.yield()
      #expect(try await client.receive { $0.hasSuffix("\r\n\r\n") } == "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n")
      await client.send(request)
      #expect(try await client.receiveToEnd() == "not HTTP at all")
    }
  }

  @Test func `half-closes, and still waits for the client`() async throws {
    try await LoopbackServer.with(handler: { _ in
      .raw([.send("bye"), .halfClose, .waitForClientToLeave, .reset, .send("never")])
    }) { server in
      let client = try RawClient(port: server.port)
      await client.send(request)
      #expect(try await client.receiveToEnd() == "bye")
      #expect(server.counts.openConnections == 1)
      client.endSending()
      try await server.wait { $0.openConnections == 0 }
    }
  }

  @Test func `ends a body that is shorter or longer than it said`() async throws {
    for (length, sent) in [(Int64(6), "hello"), (4, "")] {
      try await confirmation { told in
        var configuration = LoopbackServer.Configuration()
        configuration.onHandlerFailure = { _, _ in told() }
        let body = HTTPBody(length: length, isReplayable: true) {
          AsyncStream { continuation in
            continuation.yield(Data("hello".utf8))
            continuation.finish()
          }
        }
        let answer = try await LoopbackServer.with(
          configuration: configuration, handler: { _ in LoopbackResponse(body: body) }
        ) { try await RawClient.exchange(port: $0.port, request) }
        #expect(answer.hasSuffix("\r\n\r\n" + sent))
      }
    }
  }

  @Test func `never ends a chunked body as if it were whole when its making was cancelled`() async throws {
    let (content, continuation) = AsyncStream<Data>.makeStream()
    continuation.yield(Data("abc".utf8))
    try await LoopbackServer.with(handler: { _ in
      LoopbackResponse(body: HTTPBody(isReplayable: false) { content })
    }) { server in
      let client = try RawClient(port: server.port)
      await client.send(request)
      _ = try await client.receive { $0.hasSuffix("3\r\nabc\r\n") }
      client.endSending()
      #expect(try await client.receiveToEnd() == "")
    }
  }

  @Test func `leaves a failed chunked body without its end`() async throws {
    struct Failed: Error {}
    let body = HTTPBody(isReplayable: true) {
      AsyncThrowingStream<Data, any Error> { continuation in
        continuation.yield(Data("abc".utf8))
        continuation.finish(throwing: Failed())
      }
    }
    #expect(try await answer(LoopbackResponse(body: body)).hasSuffix("\r\n\r\n3\r\nabc\r\n"))
  }
}
