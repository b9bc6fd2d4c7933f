import Foundation
import NetCore
import NetLoopback
import NetURLSession
import Testing

@Suite(.timeLimit(.minutes(1))) struct ExchangeTests {
  @Test(arguments: deliveries) func `brings status, fields and body`(delivery: RequestContext.Delivery) async throws {
    try await withServer { _ in
      .text("hello")
    } run: { wire in
      let response = try await wire.send(delivery: delivery)
      #expect(response.status == .ok)
      #expect(response.fields[.contentType]?.hasPrefix("text/plain") == true)
      #expect(response.body.length == 5)
      #expect(try await response.text == "hello")
    }
  }

  @Test(arguments: [HTTPRequest.Method.get, .post, .put, .patch, .delete, .options, "PURGE"])
  func `sends the method, the target and the fields as given`(method: HTTPRequest.Method) async throws {
    try await withServer(Echo.reply) { wire in
      let echo = try await wire.send(method, "/a%2Fb/c?q=1%2B1&r=a%20b", fields: ["X-Trace": "7", "X-Empty": ""]).echo
      #expect(echo.method == method.rawValue)
      #expect(echo.target == "/a%2Fb/c?q=1%2B1&r=a%20b")
      #expect(echo.fields["x-trace"] == ["7"])
      #expect(echo.fields["x-empty"] == [""])
    }
  }

  @Test(arguments: [204, 205, 304]) func `a status without content has an empty body`(code: Int) async throws {
    try await withServer { _ in
      .raw("HTTP/1.1 \(code) X\r\nContent-Length: 0\r\n\r\n")
    } run: { wire in
      let response = try await wire.send()
      #expect(response.status.code == code)
      #expect(response.body.bufferedBytes == Data())
    }
  }

  @Test(arguments: deliveries)
  func `an answer to HEAD keeps its length in the fields and has no body`(delivery: RequestContext.Delivery)
    async throws
  {
    try await withServer { _ in
      .text("hello")
    } run: { wire in
      let response = try await wire.send(.head, delivery: delivery)
      #expect(response.fields[.contentLength] == "5")
      #expect(try await response.text.isEmpty)
    }
  }

  @Test(arguments: [300, 301, 302, 303, 307, 308])
  func `follows no redirect`(code: Int) async throws {
    let reply = "HTTP/1.1 \(code) Moved\r\nLocation: /elsewhere\r\nContent-Length: 5\r\n\r\nmoved"
    try await withServer { _ in
      .raw(reply)
    } run: { wire in
      let response = try await wire.send(.post, body: HTTPBody(Data("content".utf8)))
      #expect(response.status.code == code)
      #expect(response.fields[.location] == "/elsewhere")
      #expect(try await response.text == "moved")
      #expect(wire.server.counts.requests == 1)
    }
  }

  @Test func `a redirect to nowhere is a response`() async throws {
    try await withServer { _ in
      LoopbackResponse(status: 302)
    } run: { wire in
      let response = try await wire.send()
      #expect(response.status == 302)
    }
  }

  @Test(
    arguments: [#"Basic realm="x""#, #"Digest realm="x", nonce="n""#, "Bearer", #"Bearer, Basic realm="x""#], deliveries
  )
  func `a challenge is a response with its body`(challenge: String, delivery: RequestContext.Delivery) async throws {
    try await withServer { _ in
      var response = LoopbackResponse.text("who are you?")
      response.status = .unauthorized
      response.fields[.wwwAuthenticate] = challenge
      return response
    } run: { wire in
      let response = try await wire.send(delivery: delivery)
      #expect(response.status == .unauthorized)
      #expect(response.fields[.wwwAuthenticate] == challenge)
      #expect(try await response.text == "who are you?")
      #expect(wire.server.counts.requests == 1)
    }
  }

  @Test func `drops interim responses`() async throws {
    let reply = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    try await withServer { _ in
      .raw(reply)
    } run: { wire in
      let response = try await wire.send()
      #expect(response.status == .ok)
      #expect(response.fields[.link] == nil)
      #expect(try await response.text == "ok")
    }
  }

  @Test func `sends bytes and files as they are`() async throws {
    let bytes = Data((0..<300_000).map { UInt8($0 % 64 + 32) })
    let file = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID())")
    try bytes.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try await withServer(Echo.reply) { wire in
      for body in [HTTPBody(bytes), try HTTPBody(file: file)] {
        let echo = try await wire.send(.put, fields: [.contentType: "text/x"], body: body).echo
        #expect(echo.body == String(decoding: bytes, as: UTF8.self))
        #expect(echo.fields["content-length"] == ["300000"])
        #expect(echo.fields["content-type"] == ["text/x"])
        #expect(echo.fields["transfer-encoding"] == nil)
      }
    }
  }

  @Test func `an empty body announces its length`() async throws {
    try await withServer(Echo.reply) { wire in
      let echo = try await wire.send(.post).echo
      #expect(echo.fields["content-length"] == ["0"])
    }
  }

  @Test(arguments: deliveries) func `decoded content has no encoding or length left`(
    delivery: RequestContext.Delivery
  ) async throws {
    // "hello, hello, hello" as gzip.
    let zipped = Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJ11HIQKIAn6HKCRMAAAA=")!
    try await withServer { _ in
      LoopbackResponse(fields: [.contentEncoding: "gzip"], body: HTTPBody(zipped))
    } run: { wire in
      let response = try await wire.send(delivery: delivery)
      #expect(response.fields[.contentEncoding] == nil)
      #expect(response.fields[.contentLength] == nil)
      #expect(try await response.text == "hello, hello, hello")
    }
  }

  @Test func `keeps a connection for the next request`() async throws {
    try await withServer { _ in
      .text("ok")
    } run: { wire in
      for _ in 0..<5 { _ = try await wire.send() }
      #expect(wire.server.counts.connections == 1)
    }
  }

  @Test(arguments: deliveries) func `64 requests side by side each get their own answer`(
    delivery: RequestContext.Delivery
  ) async throws {
    try await withServer {
      .text($0.target)
    } run: { wire in
      try await withThrowingTaskGroup { group in
        for number in 0..<64 {
          group.addTask { (number, try await wire.send(.get, "/\(number)", delivery: delivery).text) }
        }
        for try await (number, text) in group { #expect(text == "/\(number)") }
      }
      #expect(wire.server.counts.requests == 64)
    }
  }
}
