import NetCore
import NetCurl
import NetLoopback
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.timeLimit(.minutes(1)))
struct ExchangeTests {
  /// Answers with what it got.
  private static func startEcho() async throws -> LoopbackServer {
    try await LoopbackServer.start { request in
      let body = try await request.body.collect(upTo: 100_000_000)
      var fields = request.fields
      for name in ["host", "content-length", "transfer-encoding"] as [HTTPField.Name] { fields.remove(name) }
      fields["X-Method"] = request.method.rawValue
      fields["X-Target"] = request.target
      fields["X-Length"] = request.fields[.contentLength]
      fields["X-Transfer-Encoding"] = request.fields[.transferEncoding]
      return LoopbackResponse(fields: fields, body: HTTPBody(body))
    }
  }

  @Test(arguments: Delivery.allCases)
  func `gets a small response`(_ delivery: Delivery) async throws {
    let server = try await LoopbackServer.start { _ in .text("hello") }
    let response = try await CurlTransport().whole(HTTPRequest(url: try server.url()), delivery)
    #expect(response.head.status == .ok)
    #expect(response.text == "hello")
    #expect(response.head.fields[.contentLength] == "5")
  }

  @Test func `a collected response is in memory when it returns`() async throws {
    let server = try await LoopbackServer.start { _ in .text("hello") }
    let context = RequestContext(delivery: .collected(upTo: 5))
    let response = try await CurlTransport().send(HTTPRequest(url: try server.url()), context: context)
    #expect(response.body.bufferedBytes == Data("hello".utf8))
  }

  @Test func `a response over the limit of its collection is handed over as it arrives`() async throws {
    let server = try await LoopbackServer.start { _ in .bytes(pattern(1_000_000)) }
    let context = RequestContext(delivery: .collected(upTo: 1_000))
    let response = try await CurlTransport().send(HTTPRequest(url: try server.url()), context: context)
    #expect(response.body.bufferedBytes == nil)
    await #expect(throws: APIError.tooLarge) { try await response.body.collect(upTo: 1_000) }
    try await server.wait { $0.openConnections == 0 }
  }

  @Test(
    "sends methods as they are",
    arguments: [.get, .head, .post, .put, .patch, .delete, .options, "PURGE", "get"] as [HTTPRequest.Method])
  func methods(_ method: HTTPRequest.Method) async throws {
    let server = try await Self.startEcho()
    let request = HTTPRequest(method: method, url: try server.url("/a/../b?q=%20"))
    let response = try await CurlTransport().whole(request)
    #expect(response.head.fields["X-Method"] == method.rawValue)
    #expect(response.head.fields["X-Target"] == "/a/../b?q=%20")
    let announcesEmptyContent = [.post, .put, .patch].contains(method)
    #expect(response.head.fields["X-Length"] == (announcesEmptyContent ? "0" : nil))
  }

  @Test func `sends the request's fields and none beside`() async throws {
    let server = try await Self.startEcho()
    let transport = try CurlTransport.with { $0.decoding = nil }
    let fields: HTTPFields = [
      "X-One": "1", "x-two": "", "X-One": "again", "X-Accent": "caf\u{E9}", .expect: "100-continue",
    ]
    let request = HTTPRequest(method: .post, url: try server.url(), fields: fields, body: HTTPBody(Data("x".utf8)))
    let response = try await transport.whole(request)
    let echoed = response.head.fields.filter { !$0.name.canonicalName.hasPrefix("x-") || fields.contains($0.name) }
    let own: Set<HTTPField.Name> = [.date, .contentLength, .server]
    #expect(
      Set(echoed.map(\.name)).subtracting(own) == Set(fields.map(\.name)), "a field was added, or one is missing")
    #expect(response.head.fields[values: "X-One"] == ["1", "again"])
    #expect(response.head.fields["x-two"] == "")
    #expect(response.head.fields["X-Accent"] == "caf\u{E9}")
  }

  @Test func `keeps the bytes of a field that is not UTF-8, both ways`() async throws {
    let server = try await Self.startEcho()
    var request = HTTPRequest(url: try server.url())
    let field = try #require(HTTPField(name: "X-Old", bytes: [0x63, 0x61, 0x66, 0xE9]))
    request.fields.append(field)
    let response = try await CurlTransport().whole(request)
    #expect(response.head.fields.first { $0.name == "X-Old" }?.bytes == field.bytes)
  }

  @Test(
    "sends content of every size and kind",
    arguments: [0, 1, 1_000, 300_000, 5_000_000], ["bytes", "stream", "unsized stream"])
  func content(size: Int, kind: String) async throws {
    let server = try await Self.startEcho()
    let bytes = pattern(size)
    let body =
      switch kind {
      case "bytes": HTTPBody(bytes)
      default:
        HTTPBody(length: kind == "stream" ? Int64(size) : nil, isReplayable: true) {
          AsyncStream { continuation in
            for start in stride(from: 0, to: size, by: 70_000) {
              continuation.yield(bytes[start..<min(start + 70_000, size)])
            }
            continuation.finish()
          }
        }
      }
    let transport = CurlTransport()
    for method in [.post, .put] as [HTTPRequest.Method] {
      let response = try await transport.whole(HTTPRequest(method: method, url: try server.url(), body: body))
      #expect(response.head.fields["X-Method"] == method.rawValue)
      #expect(response.head.fields["X-Length"] == (kind == "unsized stream" ? nil : "\(size)"))
      #expect(response.head.fields["X-Transfer-Encoding"] == (kind == "unsized stream" ? "chunked" : nil))
      #expect(response.body == bytes)
    }
    #expect(server.counts.connections == 1)
  }

  @Test func `sends a file`() async throws {
    let server = try await Self.startEcho()
    let file = FileManager.default.temporaryDirectory.appending(path: "NetCurlTests-\(UUID())")
    try pattern(1_000_000).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let request = HTTPRequest(method: .put, url: try server.url(), body: try HTTPBody(file: file))
    let response = try await CurlTransport().whole(request)
    #expect(response.head.fields["X-Length"] == "1000000")
    #expect(response.body == pattern(1_000_000))
  }

  @Test(arguments: [3, 7] as [Int64])
  func `a stream of another length than it announced fails the request`(_ announced: Int64) async throws {
    let server = try await Self.startEcho()
    let body = HTTPBody(length: announced, isReplayable: true) {
      AsyncStream {
        $0.yield(Data("12345".utf8)); $0.finish()
      }
    }
    let request = HTTPRequest(method: .post, url: try server.url(), body: body)
    let transport = CurlTransport()
    let error = await #expect(throws: APIError.invalidRequest) { try await transport.whole(request) }
    #expect(error?.mayHaveReachedServer == true)
    try await server.wait { $0.openConnections == 0 }
  }

  @Test func `an error of the body's source is the request's error`() async throws {
    struct SourceBroke: Error {}
    let server = try await Self.startEcho()
    let body = HTTPBody(isReplayable: true) {
      AsyncThrowingStream<Data, any Error> {
        $0.yield(Data("12345".utf8)); $0.finish(throwing: SourceBroke())
      }
    }
    let request = HTTPRequest(method: .post, url: try server.url(), body: body)
    await #expect(throws: SourceBroke.self) { try await CurlTransport().whole(request) }
    try await server.wait { $0.openConnections == 0 }
  }

  @Test func `keeps one connection for many requests`() async throws {
    let server = try await Self.startEcho()
    let transport = CurlTransport()
    for _ in 0..<50 { _ = try await transport.whole(HTTPRequest(url: try server.url())) }
    #expect(server.counts.connections == 1)
  }

  @Test func `opens no more connections to a host than it may`() async throws {
    let server = try await Self.startEcho()
    let transport = try CurlTransport.with {
      $0.connections.perHost = 3
      $0.limits.connect = nil
    }
    let url = try server.url()
    try await withThrowingTaskGroup { group in
      for _ in 0..<300 { group.addTask { _ = try await transport.whole(HTTPRequest(url: url), .collected) } }
      try await group.waitForAll()
    }
    #expect(server.counts.requests == 300)
    #expect(server.counts.connections <= 3)
  }

  @Test func `reaches an IPv6 literal`() async throws {
    let server = try await LoopbackServer.start(host: .ipv6) { _ in .text("six") }
    let url = try #require(URL(string: "http://[::1]:\(server.port)/"))
    let response = try await CurlTransport().whole(HTTPRequest(url: url))
    #expect(response.text == "six")
    #expect(response.head.info.timings?.remoteAddress == "[::1]:\(server.port)")
  }

  @Test func `measures an attempt`() async throws {
    let server = try await Self.startEcho()
    let transport = CurlTransport()
    let request = HTTPRequest(method: .post, url: try server.url(), body: HTTPBody(pattern(1_000)))
    let first = try #require(try await transport.whole(request, .collected).head.info.timings)
    #expect(!first.isConnectionReused)
    #expect(first.connect != nil)
    #expect(first.tls == nil)
    #expect(first.firstByte <= first.total)
    #expect((first.bytesSent, first.bytesReceived) == (1_000, 1_000))
    #expect(first.remoteAddress == "127.0.0.1:\(server.port)")
    #expect(first.protocolName == "HTTP/1.1")
    let second = try #require(try await transport.whole(request, .collected).head.info.timings)
    #expect(second.isConnectionReused)
    #expect(second.connect == nil)
  }

  @Test(arguments: Delivery.allCases)
  func `skips interim responses and reports them, and keeps trailers`(_ delivery: Delivery) async throws {
    let script = """
      HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n\
      HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 42\r\nX-Sum: 43\r\n\r\n
      """
    let server = try await LoopbackServer.start { _ in .raw(script) }
    let response = try await CurlTransport().whole(HTTPRequest(url: try server.url()), delivery)
    #expect(response.text == "hello")
    #expect(response.trailers[values: "X-Sum"] == ["42", "43"])
    #expect(response.head.info.interimResponses.map(\.status) == [100, 103])
    #expect(response.head.info.interimResponses.last?.fields["Link"] == "</a.css>")
  }

  @Test(arguments: Delivery.allCases)
  func `a refused expectation is the response, and nothing is sent again`(_ delivery: Delivery) async throws {
    let server = try await LoopbackServer.start { _ in
      .raw("HTTP/1.1 417 No\r\nContent-Length: 2\r\n\r\nno", keepsConnection: true)
    }
    for method in [.post, .put] as [HTTPRequest.Method] {
      let fields: HTTPFields = [.expect: "100-continue"]
      let request = HTTPRequest(method: method, url: try server.url(), fields: fields, body: HTTPBody(pattern(10)))
      let response = try await CurlTransport().whole(request, delivery)
      #expect(response.head.status == .expectationFailed)
      // Whether libcurl reads the refusal's content depends on what came first; the head must agree.
      #expect(["", "no"].contains(response.text))
      #expect(response.head.fields[.contentLength] == (response.text.isEmpty ? nil : "2"))
    }
    #expect(server.counts.requests == 2)
  }

  @Test func `content waits for the server's word when the request expects it`() async throws {
    let server = try await LoopbackServer.start { request in
      .bytes(try await request.body.collect(upTo: 100))
    }
    let request = HTTPRequest(
      method: .post, url: try server.url(), fields: [.expect: "100-continue"], body: HTTPBody(pattern(10)))
    let response = try await CurlTransport().whole(request)
    #expect(response.body == pattern(10))
    #expect(response.head.info.interimResponses.map(\.status) == [100])
  }
}
