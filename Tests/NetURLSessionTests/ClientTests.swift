import Foundation
import NetCore
import NetLoopback
import NetURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private struct User: Codable, Equatable, Sendable {
  var id: Int
  var name: String
}

private let users = [User(id: 1, name: "Ada"), User(id: 2, name: "Lin")]

private func serve(_ request: LoopbackRequest) async throws -> LoopbackResponse {
  switch (request.method, request.path) {
  case (.get, "/users"): try .json(users)
  case (.post, "/users"): try .json(try await request.body.json(as: User.self), status: 201)
  case (_, "/echo"): try await Echo.reply(to: request)
  case (_, "/broken"): .problem(.internalServerError, detail: "The grinder is jammed.")
  case (_, "/never"): .noReply(by: .stall)
  default: .problem(.notFound)
  }
}

@Suite(.timeLimit(.minutes(1))) struct ClientTests {
  private func withClient(
    headers: [String: String] = [:], _ body: (URLSessionNetworkClient, URL) async throws -> Void
  ) async throws {
    try await LoopbackServer.with(handler: serve) { server in
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpAdditionalHeaders = headers
      let client = URLSessionNetworkClient(baseURL: server.baseURL, session: URLSession(configuration: configuration))
      try await body(client, server.baseURL)
    }
  }

  @Test func `sends a URLRequest and infers the type`() async throws {
    try await withClient { client, baseURL in
      let urlRequest = URLRequest(url: baseURL.appending(path: "users"))
      let found: [User] = try await client.send(urlRequest)
      #expect(found == users)

      var post = urlRequest
      post.httpMethod = "POST"
      post.setValue("application/json", forHTTPHeaderField: "Content-Type")
      post.httpBody = try JSONEncoder().encode(User(id: 3, name: "Kim"))
      let made: User = try await client.send(post)
      #expect(made == User(id: 3, name: "Kim"))
    }
  }

  @Test func `keeps a URLRequest's method, query, fields and body`() async throws {
    try await withClient { client, baseURL in
      var urlRequest = URLRequest(url: URL(string: "\(baseURL)/echo?q=1&q=2")!)
      urlRequest.httpMethod = "PATCH"
      urlRequest.setValue("7", forHTTPHeaderField: "X-Trace")
      urlRequest.setValue("text/x", forHTTPHeaderField: "Content-Type")
      urlRequest.cachePolicy = .reloadIgnoringLocalCacheData
      urlRequest.httpBody = Data("hi".utf8)
      let echo: Echo = try await client.send(urlRequest)
      #expect(echo.method == "PATCH")
      #expect(echo.target == "/echo?q=1&q=2")
      #expect(echo.body == "hi")
      #expect(echo.fields["x-trace"] == ["7"])
      #expect(echo.fields["content-type"] == ["text/x"])
      #expect(echo.fields["cache-control"] == ["no-cache"])
    }
  }

  @Test func `the forms of a call work and statuses are errors`() async throws {
    try await withClient { client, baseURL in
      #expect(try await client.send(Endpoint(path: "users"), as: [User].self) == users)
      await #expect(throws: APIError.badStatus(500)) { try await client.send(Endpoint<Void>(path: "broken")) }
      do {
        let _: User = try await client.send(URLRequest(url: baseURL.appending(path: "users/9")))
        Issue.record("a missing user was found")
      } catch APIError.notFound {}
    }
  }

  @Test func `streams through open`() async throws {
    try await withClient { client, _ in
      let response = try await client.open(Endpoint<Data>(path: "users"))
      #expect(try JSONDecoder().decode([User].self, from: Data(try await response.text.utf8)) == users)
    }
  }

  @Test func `a call's time limit is the client's, or the URLRequest's own`() async throws {
    try await withClient { client, baseURL in
      let urlRequest = URLRequest(url: baseURL.appending(path: "never"), timeoutInterval: 0.05)
      await #expect(throws: APIError.timedOut(.total)) { let _: User = try await client.send(urlRequest) }
      await #expect(throws: APIError.timedOut(.total)) {
        try await client.send(Endpoint<Void>(path: "never", timeout: .milliseconds(50)))
      }
    }
  }

  @Test func `the session's additional headers go to the base URL's origin only`() async throws {
    try await withClient(headers: ["X-Key": "secret"]) { client, baseURL in
      #expect(try await client.send(Endpoint(path: "echo"), as: Echo.self).fields["x-key"] == ["secret"])
      try await LoopbackServer.with(handler: Echo.reply) { other in
        let echo: Echo = try await client.send(URLRequest(url: other.baseURL))
        #expect(echo.fields["x-key"] == nil)
      }
    }
  }

  @Test func `a transport's additional headers are sent unless the request sets them`() async throws {
    try await LoopbackServer.with(handler: Echo.reply) { server in
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpAdditionalHeaders = ["X-A": "1", "X-B": "1"]
      let wire = Wire(server: server, transport: URLSessionTransport(configuration: configuration))
      let echo = try await wire.send(fields: ["x-b": "2"]).echo
      #expect(echo.fields["x-a"] == ["1"])
      #expect(echo.fields["x-b"] == ["2"])
    }
  }

  @Test func `a client that was shut down refuses calls`() async throws {
    try await withClient { client, _ in
      await client.shutdown()
      await #expect(throws: APIError.invalidRequest) { try await client.send(Endpoint<Void>(path: "users")) }
    }
  }
}
