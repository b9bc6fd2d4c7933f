import Foundation
import NetCore
import NetLoopback
import Synchronization
import Testing

/// How the server speaks HTTP/1.1, seen byte for byte.
@Suite(.timeLimit(.minutes(1))) struct LoopbackServerTests {
  /// Answers with what it was asked.
  private let describing: LoopbackServer.Handler = { request in
    let body = try await request.body.collect(upTo: 1_000_000)
    let items = request.query.items.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
    return .text(
      "\(request.method) \(request.path) [\(items)] \(request.connectionNumber).\(request.requestNumber) "
        + String(decoding: body, as: UTF8.self))
  }

  private func withServer<Result>(
    _ configuration: LoopbackServer.Configuration = .init(), handler: @escaping LoopbackServer.Handler,
    run body: (LoopbackServer) async throws -> Result
  ) async throws -> Result {
    var configuration = configuration
    configuration.sendsDate = false
    return try await LoopbackServer.with(configuration: configuration, handler: handler, run: body)
  }

  @Test func `keeps a connection for several requests and says when it ends`() async throws {
    try await withServer(handler: describing) { server in
      let client = try RawClient(port: server.port)
      await client.send("GET /a?x=1&y=%20+z HTTP/1.1\r\nHost: h\r\n\r\n")
      let first = try await client.receive { $0.hasSuffix("1.1 ") }
      #expect(
        first == "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 23\r\n\r\n"
          + "GET /a [x=1,y=  z] 1.1 ")
      await client.send("GET /b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
      let second = try await client.receiveToEnd()
      #expect(second.contains("\r\nConnection: close\r\n"))
      #expect(second.hasSuffix("GET /b [] 1.2 "))
    }
  }

  @Test func `answers pipelined requests in order, also those with bodies`() async throws {
    try await withServer(handler: describing) { server in
      let answers = try await RawClient.exchange(
        port: server.port,
        "POST /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
          + "POST /2 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n1;x=y\r\nf\r\n0\r\n\r\n"
          + "\r\nGET /3 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
      #expect(bodies(answers) == ["POST /1 [] 1.1 abc", "POST /2 [] 1.2 def", "GET /3 [] 1.3 "])
    }
  }

  @Test func `reads a request that comes byte by byte`() async throws {
    try await withServer(handler: describing) { server in
      let client = try RawClient(port: server.port)
      let request =
        "POST /slow HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: 1\r\n\r\n"
      for byte in request.utf8 { await client.send(Data([byte])) }
      #expect(bodies(try await client.receiveToEnd()) == ["POST /slow [] 1.1 abc"])
    }
  }

  @Test func `answers HEAD with the fields of a GET and no content`() async throws {
    try await withServer(handler: { _ in .text("hello") }) { server in
      let answer = try await RawClient.exchange(
        port: server.port, "HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
      #expect(answer.contains("\r\nContent-Length: 5\r\n"))
      #expect(answer.hasSuffix("\r\n\r\n"))
    }
  }

  @Test func `ends an HTTP/1.0 connection unless it is asked to keep it`() async throws {
    try await withServer(handler: { _ in LoopbackResponse(body: HTTPBody(isReplayable: true) { chunks("ab", "cd") }) })
    {
      let closed = try await RawClient.exchange(port: $0.port, "GET / HTTP/1.0\r\n\r\n")
      #expect(closed == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabcd")
    }
    try await withServer(handler: { _ in .text("ab") }) {
      let kept = try await RawClient.exchange(
        port: $0.port, "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\nGET / HTTP/1.0\r\n\r\n")
      #expect(bodies(kept) == ["ab", "ab"])
      #expect(kept.contains("\r\nConnection: keep-alive\r\n"))
    }
  }

  @Test func `sends content of unknown length in chunks, with trailers`() async throws {
    try await withServer(handler: { _ in
      LoopbackResponse(body: HTTPBody(isReplayable: true) { chunks("ab", "", "cde") }, trailers: ["X-Sum": "5"])
    }) { server in
      let answer = try await RawClient.exchange(
        port: server.port, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
      #expect(
        answer == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\nConnection: close\r\n\r\n"
          + "2\r\nab\r\n3\r\ncde\r\n0\r\nX-Sum: 5\r\n\r\n")
    }
  }

  @Test func `sends an empty chunked body and no content for 204 and 304`() async throws {
    try await withServer(handler: { request in
      switch request.path {
      case "/204": LoopbackResponse(status: .noContent)
      case "/304": LoopbackResponse(status: .notModified, fields: [.contentLength: "99"])
      default: LoopbackResponse(body: HTTPBody(isReplayable: true) { chunks() })
      }
    }) { server in
      let request = { (path: String) in "GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n" }
      let answer = try await RawClient.exchange(
        port: server.port, request("/") + request("/204") + request("/304") + "GET / HTTP/1.0\r\n\r\n")
      #expect(
        answer == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"
          + "HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\nHTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    }
  }

  @Test func `tells a waiting client to go on when the handler reads, and not before`() async throws {
    try await withServer(handler: { request in
      request.path == "/read" ? .bytes(try await request.body.collect()) : .problem(.unauthorized)
    }) { server in
      let head = "HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
      let reading = try RawClient(port: server.port)
      await reading.send("POST /read " + head)
      #expect(try await reading.receive { $0.hasSuffix("\r\n\r\n") } == "HTTP/1.1 100 Continue\r\n\r\n")
      await reading.send("abc")
      #expect(try await reading.receive { $0.hasSuffix("abc") }.hasPrefix("HTTP/1.1 200 OK\r\n"))

      let refused = try await RawClient.exchange(port: server.port, "POST /refuse " + head)
      #expect(refused.hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
      #expect(refused.contains("\r\nConnection: close\r\n"))
    }
  }

  @Test func `tells a waiting client to go on when the response is made of its content`() async throws {
    try await withServer(handler: { request in
      LoopbackResponse(body: HTTPBody(length: request.body.length, isReplayable: false) { request.body })
    }) { server in
      let client = try RawClient(port: server.port)
      await client.send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
      let interim = try await client.receive { $0.contains("\r\n\r\n") }
      #expect(interim.hasPrefix("HTTP/1.1 100 Continue\r\n\r\n"))
      await client.send("abc")
      #expect(try await client.receive { $0.hasSuffix("abc") }.hasSuffix("abc"))
    }
  }

  @Test func `gives a handler the trailers of a chunked request`() async throws {
    try await withServer(handler: { request in
      let early = request.body.trailers.count
      _ = try await request.body.collect()
      return .text("\(early) \(request.body.trailers["X-Sum"] ?? "none")")
    }) { server in
      let answer = try await RawClient.exchange(
        port: server.port,
        "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n"
      )
      #expect(bodies(answer) == ["0 1"])
    }
  }

  @Test func `refuses to read the content of a request that was answered`() async throws {
    let kept = Mutex<LoopbackRequest.Body?>(nil)
    try await withServer(handler: { request in
      if let body = kept.withLock({ $0 }) {
        await #expect(throws: LoopbackError.self) { try await body.collect() }
        return .bytes(try await request.body.collect())
      }
      kept.withLock { $0 = request.body }
      return .text("ok")
    }) { server in
      let post = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n"
      let answers = try await RawClient.exchange(
        port: server.port, post + "abc" + post + "def" + "GET / HTTP/1.0\r\n\r\n")
      #expect(bodies(answers) == ["ok", "def", ""])
    }
  }

  @Test func `lets one task at a time read the content of a request`() async throws {
    try await withServer(handler: { request in
      try await withThrowingTaskGroup { group in
        for _ in 1...2 { group.addTask { try await request.body.collect() } }
        for try await bytes in group { return .bytes(bytes) }
        return .problem(.notFound)
      }
    }) { server in
      let client = try RawClient(port: server.port)
      await client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n")
      let refusal = try await client.receive { $0.contains("at the same time") }
      #expect(refusal.hasPrefix("HTTP/1.1 500 "))
    }
  }

  @Test func `skips a short body that a handler leaves, and ends the connection after a long one`() async throws {
    try await withServer(handler: { _ in .text("ok") }) { server in
      let short = try await RawClient.exchange(
        port: server.port,
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabcdeGET / HTTP/1.0\r\n\r\n")
      #expect(bodies(short) == ["ok", "ok"])

      let long = try RawClient(port: server.port)
      await long.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n")
      await long.send(Data(count: 999_000))
      #expect(bodies(try await long.receiveToEnd()) == ["ok"])
    }
  }

  @Test func `takes targets in absolute and asterisk form`() async throws {
    try await withServer(handler: { .text("\($0.method) \($0.path) \($0.rawQuery ?? "-") \($0.pathSegments)") }) {
      server in
      let answers = try await RawClient.exchange(
        port: server.port,
        "GET http://other:80/a%2Fb/c?d HTTP/1.1\r\nHost: h\r\n\r\nGET http://other HTTP/1.1\r\nHost: h\r\n\r\n"
          + "OPTIONS * HTTP/1.0\r\n\r\n")
      #expect(bodies(answers) == [#"GET /a%2Fb/c d ["a/b", "c"]"#, "GET / - []", #"OPTIONS * - ["*"]"#])
    }
  }

  @Test func `answers an error of the handler with problem details, and tells nobody else's secrets`() async throws {
    struct Secret: Error {}
    try await confirmation { told in
      var configuration = LoopbackServer.Configuration()
      configuration.onHandlerFailure = { error, request in
        #expect(error is Secret)
        #expect(request.path == "/secret")
        told()
      }
      try await withServer(
        configuration,
        handler: { request in
          if request.path == "/secret" { throw Secret() }
          throw LoopbackError(.notFound, "There is no user 7.")
        }
      ) { server in
        let answers = try await RawClient.exchange(
          port: server.port, "GET /secret HTTP/1.1\r\nHost: h\r\n\r\nGET /users/7 HTTP/1.0\r\n\r\n")
        #expect(
          bodies(answers) == [
            #"{"status":500,"title":"Internal Server Error","type":"about:blank"}"#,
            #"{"detail":"There is no user 7.","status":404,"title":"Not Found","type":"about:blank"}"#,
          ])
        #expect(answers.contains("Content-Type: application/problem+json"))
      }
    }
  }

  @Test(arguments: [
    LoopbackResponse(fields: [.contentLength: "4"], body: HTTPBody(Data("abc".utf8))),
    LoopbackResponse(fields: [.transferEncoding: "chunked"]),
    LoopbackResponse(fields: [.connection: "upgrade"]),
    LoopbackResponse(fields: ["X-Split": "a\r\nSet-Cookie: b"]),
    LoopbackResponse(trailers: [.contentLength: "4"]),
    LoopbackResponse(status: .noContent, body: HTTPBody(Data("abc".utf8))),
    LoopbackResponse(status: 103),
  ])
  func `refuses a response that contradicts its framing`(response: LoopbackResponse) async throws {
    try await confirmation { told in
      var configuration = LoopbackServer.Configuration()
      configuration.onHandlerFailure = { _, _ in told() }
      try await withServer(configuration, handler: { _ in response }) { server in
        let answer = try await RawClient.exchange(port: server.port, "GET / HTTP/1.0\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
      }
    }
  }

  @Test func `gives handlers the task-local values of whoever starts the server`() async throws {
    try await Scope.$name.withValue("mine") {
      try await withServer(handler: { _ in .text(Scope.name) }) { server in
        let answer = try await RawClient.exchange(port: server.port, "GET / HTTP/1.0\r\n\r\n")
        #expect(bodies(answer) == ["mine"])
      }
    }
  }

  private enum Scope {
    @TaskLocal static var name = "nobody's"
  }
}

/// The chunks of a body, as a sequence.
private func chunks(_ texts: String...) -> AsyncStream<Data> {
  AsyncStream { continuation in
    for text in texts { continuation.yield(Data(text.utf8)) }
    continuation.finish()
  }
}

/// The bodies of responses with a Content-Length.
private func bodies(_ answers: String) -> [String] {
  var bodies: [String] = []
  var rest = answers[...]
  while let end = rest.range(of: "\r\n\r\n") {
    let lines = rest[..<end.lowerBound].components(separatedBy: "\r\n")
    let length = lines.compactMap { $0.hasPrefix("Content-Length: ") ? Int($0.dropFirst(16)) : nil }.first ?? 0
    bodies.append(String(rest[end.upperBound...].prefix(length)))
    rest = rest[end.upperBound...].dropFirst(length)
  }
  return bodies
}
