import Foundation
import NetCore
import NetLoopback
import NetURLSession
import Testing

@Suite(.timeLimit(.minutes(1))) struct FieldTests {
  @Test func `fields of one name are sent joined, in their order`() async throws {
    try await withServer(Echo.reply) { wire in
      let fields: HTTPFields = ["X-A": "1", "Cookie": "a=1", "x-a": "2", "Cookie": "b=2", "X-B": "café"]
      let echo = try await wire.send(fields: fields).echo
      #expect(echo.fields["x-a"] == ["1, 2"])
      #expect(echo.fields["cookie"] == ["a=1; b=2"])
      #expect(echo.fields["x-b"] == ["café"])
    }
  }

  @Test func `cookies of a response stay apart, other repeated fields come joined`() async throws {
    let cookies = ["a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT; Path=/", "b=\"x\"; Secure", "c=", "d-e=1"]
    try await withServer { _ in
      var response = LoopbackResponse(fields: ["X-A": "1"])
      for cookie in cookies { response.fields.append(.setCookie, cookie) }
      response.fields.append("X-A", "2")
      return response
    } run: { wire in
      let fields = try await wire.send().fields
      #expect(fields[values: .setCookie] == cookies)
      #expect(fields[values: "X-A"] == ["1, 2"])
    }
  }

  @Test func `keeps no cookie`() async throws {
    try await withServer { request in
      request.path == "/set" ? LoopbackResponse(fields: [.setCookie: "a=1"]) : try await Echo.reply(to: request)
    } run: { wire in
      _ = try await wire.send(.get, "/set")
      #expect(try await wire.send().echo.fields["cookie"] == nil)
    }
  }

  @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\0b", "a\u{7F}b"])
  func `a value that could split the request is refused`(value: String) async throws {
    try await withServer { _ in
      .text("")
    } run: { wire in
      await #expect(throws: APIError.invalidRequest) { try await wire.send(fields: ["X-A": value]) }
      #expect(wire.server.counts.connections == 0)
    }
  }

  @Test(arguments: ["X-A\r\nX-Evil", "X A", "X:A", "", "X\0"])
  func `a name that is none is no field`(name: String) {
    #expect(HTTPField.Name(name) == nil)
    #expect(HTTPRequest.Method(name) == nil || name == "X-A")
  }

  @Test(
    arguments: [
      ("Transfer-Encoding", "chunked"), ("Connection", "close"), ("Content-Length", "3"), ("Host", "other"),
    ] as [(HTTPField.Name, String)])
  func `a framing field is refused`(name: HTTPField.Name, value: String) async throws {
    try await withServer { _ in
      .text("")
    } run: { wire in
      await #expect(throws: APIError.invalidRequest) { try await wire.send(fields: [name: value]) }
      #expect(wire.server.counts.connections == 0)
    }
  }

  @Test func `a right length and host do no harm`() async throws {
    try await withServer(Echo.reply) { wire in
      let host = "127.0.0.1:\(wire.server.port)"
      let echo = try await wire.send(
        .post, fields: [.contentLength: "2", .host: host], body: HTTPBody(Data("hi".utf8))
      ).echo
      #expect(echo.fields["content-length"] == ["2"])
      #expect(echo.fields["host"] == [host])
    }
  }
}
