import Foundation
import NetCore
import NetLoopback
import NetTesting
import NetURLSession
import Testing

/// The same stubs on a real wire.
@Suite(.stubs, .timeLimit(.minutes(1))) struct StubServerTests {
  private func withClient(_ body: (HTTPClient) async throws -> Void) async throws {
    let server = try await Stubs.current.startServer()
    let client = HTTPClient(baseURL: server.baseURL, transport: URLSessionTransport())
    try await body(client)
    await client.shutdown(.cancelling)
    await server.stop()
  }

  @Test func `a server answers from the stubs and records the requests`() async throws {
    stub(.post, "/users").query("page", "2").reply { .json($0.text, status: .created) }
    try await withClient { client in
      let reply = try await client.reply(
        to: Endpoint<String>(.post, path: "users", query: ["page": 2], body: .bytes(Data("[7]".utf8))))
      #expect(reply.value == "[7]")
      #expect(reply.status == .created)
      let request = try #require(Stubs.current.requests.first)
      #expect(request.path == "/users")
      #expect(request.text == "[7]")
      #expect(request.fields.contains(.host))
    }
  }

  @Test func `a streamed body is streamed`() async throws {
    let body = ScriptedBody()
    stub(.get, "/feed").reply(HTTPResponse(body: body.body))
    try await withClient { client in
      let response = try await client.open(Endpoint<Void>(path: "feed"))
      var chunks = response.body.makeAsyncIterator()
      body.send("one")
      #expect(try await chunks.next() == Data("one".utf8))
      body.send("two")
      body.finish()
      #expect(try await chunks.next() == Data("two".utf8))
      #expect(try await chunks.next() == nil)
    }
  }

  @Test func `a failure closes the connection without an answer`() async throws {
    stub(.get, "/a").fail(APIError.transport(.connectionLost)).reply(.text("ok"))
    try await withClient { client in
      await #expect(throws: APIError.transport(.connectionLost)) { try await client.send(Endpoint<String>(path: "a")) }
      let text: String = try await client.send(Endpoint(path: "a"))
      #expect(text == "ok")
    }
  }

  @Test func `a request that no stub matches is answered 501, and noted`() async throws {
    let stubs = Stubs()
    let server = try await stubs.startServer()
    let client = HTTPClient(baseURL: server.baseURL, transport: URLSessionTransport())
    await #expect(throws: APIError.badStatus(501)) { try await client.send(Endpoint<String>(path: "a")) }
    #expect(stubs.problems.count == 1)
    await server.stop()
  }
}
