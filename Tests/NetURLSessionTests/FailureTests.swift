import Foundation
import NetCore
import NetLoopback
import NetTesting
import NetURLSession
import Testing

@Suite(.timeLimit(.minutes(1))) struct FailureTests {
  @Test(
    arguments: [
      ("http://127.0.0.1:1/", .connectionRefused, false),
      ("http://no-such-host.invalid/", .nameResolution, false),
    ] as [(String, TransportFailure, Bool)])
  func `no connection says why`(url: String, failure: TransportFailure, mayHaveArrived: Bool) async throws {
    let error = await #expect(throws: APIError.transport(failure)) {
      try await URLSessionTransport().send(HTTPRequest(url: URL(string: url)!), context: RequestContext())
    }
    #expect(error?.mayHaveReachedServer == mayHaveArrived)
  }

  @Test(
    arguments: [
      (.noReply(), .transport(.connectionLost)),
      (.noReply(by: .reset), .transport(.connectionLost)),
      (.raw("SSH-2.0-OpenSSH_9.2\r\n"), .notHTTP),
      (.raw("HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n"), .transport(.malformed)),
    ] as [(LoopbackResponse, APIError.Kind)])
  func `an exchange without a response says why`(reply: LoopbackResponse, kind: APIError.Kind) async throws {
    try await withServer { _ in
      reply
    } run: { wire in
      for delivery in deliveries {
        let error = await #expect(throws: APIError.self) { try await wire.send(delivery: delivery) }
        #expect(error?.kind == kind)
        #expect(error?.mayHaveReachedServer == true)
        #expect(error?.response == nil)
      }
    }
  }

  @Test(
    arguments: [
      (.text("hello, hello").breaking(.inBody(after: 5)), .truncated),
      (.text("hello, hello").breaking(.inBody(after: 5), by: .reset), .truncated),
      (.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"), .truncated),
      (.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n"), .malformed),
      (.raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"), .malformed),
    ] as [(LoopbackResponse, TransportFailure)])
  func `a body that breaks off fails, with the head kept`(reply: LoopbackResponse, failure: TransportFailure)
    async throws
  {
    try await withServer { _ in
      reply
    } run: { wire in
      let error = await #expect(throws: APIError.transport(failure)) { try await wire.send() }
      #expect(error?.status == .ok)
    }
  }

  @Test func `a streamed body gives what came, and then fails`() async throws {
    try await withServer { _ in
      .text("hello, hello").breaking(.inBody(after: 5))
    } run: { wire in
      let response = try await wire.send(delivery: .streaming)
      #expect(response.status == .ok)
      var received = Data()
      await #expect(throws: APIError.transport(.truncated)) {
        for try await chunk in response.body { received.append(chunk) }
      }
      #expect(received == Data("hello".utf8))
    }
  }

  @Test func `a collected body over the limit is refused, whether it announces its length or not`() async throws {
    try await withServer { request in
      let bytes = Data(count: 100_000)
      return request.path == "/announced"
        ? .bytes(bytes) : LoopbackResponse(body: HTTPBody(isReplayable: true) { Chunks(of: bytes, count: 1) })
    } run: { wire in
      for path in ["/announced", "/chunked"] {
        let error = await #expect(throws: APIError.tooLarge) {
          try await wire.send(.get, path, delivery: .collected(upTo: 99_999))
        }
        #expect(error?.status == .ok)
        let whole = try await wire.send(.get, path, delivery: .collected(upTo: 100_000))
        #expect(whole.body.bufferedBytes?.count == 100_000)
      }
    }
  }

  #if !canImport(Darwin)
  @Test func `a streamed body that nobody reads fails at the limit, and its connection is closed`() async throws {
    try await withServer(maximumUnreadBytes: 1 << 20) { _ in
      // Not endless: a fast stream without an end keeps Foundation's queue from every other session of the process.
      LoopbackResponse(body: HTTPBody(isReplayable: true) { Chunks(of: Data(count: 1 << 16), count: 64, stalls: true) })
    } run: { wire in
      let response = try await wire.send(delivery: .streaming)
      try await wire.server.wait { $0.openConnections == 0 }
      await #expect(throws: APIError.tooLarge) { for try await _ in response.body {} }
    }
  }
  #endif

  @Test func `an error's descriptions show no secret`() async throws {
    try await withServer { _ in
      .noReply()
    } run: { wire in
      let error = await #expect(throws: APIError.self) {
        try await wire.send(.get, "/?token=hunter2", fields: [.authorization: "hunter2"])
      }
      #expect(error.map { "\($0) \($0.debugDescription)".contains("hunter2") } == false)
    }
  }
}

/// The same chunk so many times, whose length is not announced; then the end, or nothing for ever.
private struct Chunks: AsyncSequence, AsyncIteratorProtocol {
  private let chunk: Data
  private var count: Int
  private let stalls: Bool

  init(of chunk: Data, count: Int, stalls: Bool = false) {
    self.chunk = chunk
    self.count = count
    self.stalls = stalls
  }

  func makeAsyncIterator() -> Chunks { self }

  mutating func next() async throws -> Data? {
    if count == 0, stalls { try await waitUntilCancelled() }
    guard count > 0 else { return nil }
    count -= 1
    return chunk
  }
}
