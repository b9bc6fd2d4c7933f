import NetCore
import NetCurl
import NetLoopback
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Whatever a server sends, the outcome is the documented one, and never a success with fewer bytes.
@Suite(.timeLimit(.minutes(1)))
struct FaultTests {
  /// Bytes a server sends before it closes the connection, and what they must lead to.
  struct Fault: CustomTestStringConvertible, Sendable {
    let name: String
    let bytes: String
    let error: APIError

    init(_ name: String, _ bytes: String, _ error: APIError) {
      self.name = name
      self.bytes = bytes
      self.error = error
    }

    var testDescription: String { name }
  }

  private static let ok = "HTTP/1.1 200 OK\r\n"
  private static let sized = ok + "Content-Length: 5\r\n"
  private static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
  private static let manyFields = String(repeating: "X-Field: some value\r\n", count: 50_000)

  static let faults = [
    Fault("nothing at all", "", .transport(.connectionLost)),
    Fault("a status line cut short", "HTTP/1.1 20", .transport(.connectionLost)),
    Fault("a head cut short after an interim response", "HTTP/1.1 103 Early\r\n\r\n", .transport(.connectionLost)),
    Fault("a head cut short in a line", ok + "Content-Le", .transport(.truncated)),
    Fault("a head cut short between lines", sized, .transport(.truncated)),
    Fault("a body cut short", sized + "\r\nhell", .transport(.truncated)),
    Fault("a body of which nothing came", sized + "\r\n", .transport(.truncated)),
    Fault("chunks without their end", chunked + "5\r\nhello\r\n", .transport(.truncated)),
    Fault("a chunk cut short", chunked + "ff\r\nhello", .transport(.truncated)),
    Fault("trailers cut short", chunked + "5\r\nhello\r\n0\r\nX-Sum: ", .transport(.truncated)),
    Fault("a chunk size that is no number", chunked + "zz\r\nhello\r\n0\r\n\r\n", .transport(.malformed)),
    Fault("a chunk longer than it says", chunked + "3\r\nhello\r\n0\r\n\r\n", .transport(.malformed)),
    Fault("two lengths", sized + "Content-Length: 4\r\n\r\nhello", .transport(.malformed)),
    Fault("two lengths in one field", ok + "Content-Length: 5, 4\r\n\r\nhello", .transport(.malformed)),
    Fault("a length that is no number", ok + "Content-Length: five\r\n\r\nhello", .transport(.malformed)),
    Fault("a negative length", ok + "Content-Length: -5\r\n\r\nhello", .transport(.malformed)),
    Fault("an empty length", ok + "Content-Length: \r\n\r\nhello", .transport(.malformed)),
    Fault("a line that is no field", sized + "no field\r\n\r\nhello", .transport(.malformed)),
    Fault("a name that is none", sized + "no name: x\r\n\r\nhello", .transport(.malformed)),
    Fault("a control character in a value", sized + "X: a\u{1}b\r\n\r\nhello", .transport(.malformed)),
    Fault("a status of two digits", "HTTP/1.1 20 OK\r\n\r\n", .transport(.malformed)),
    Fault("a garbage status line", "HTTP/x.y zzz\r\n\r\n", .transport(.malformed)),
    Fault("a switch of protocols nobody asked for", "HTTP/1.1 101 Switching\r\n\r\nhi", .transport(.malformed)),
    Fault("another protocol", "220 mail.example ESMTP\r\n", .notHTTP),
    Fault("another protocol, without a line", "220 mail", .notHTTP),
    Fault("a field of 80 kB", ok + "X: \(String(repeating: "x", count: 80_000))\r\n\r\n", .tooLarge),
    Fault("a field of 1 MB", ok + "X: \(String(repeating: "x", count: 1_000_000))\r\n\r\n", .tooLarge),
    Fault("1 MB of fields", ok + manyFields + "\r\n", .tooLarge),
    Fault("1 MB of interim responses", String(repeating: "HTTP/1.1 102 Wait\r\n\r\n", count: 50_000), .tooLarge),
    Fault("1 MB of trailers", chunked + "0\r\n" + manyFields + "\r\n", .tooLarge),
  ]

  @Test("each fault is its documented error", arguments: faults, Delivery.allCases)
  func fault(_ fault: Fault, _ delivery: Delivery) async throws {
    let server = try await LoopbackServer.start { _ in .raw(fault.bytes) }
    let transport = CurlTransport()
    for method in [.get, .post] as [HTTPRequest.Method] {
      let request = HTTPRequest(method: method, url: try server.url())
      await #expect(throws: fault.error) { try await transport.whole(request, delivery) }
    }
    try await server.wait { $0.openConnections == 0 }
  }

  @Test(
    "takes what is unusual but right",
    arguments: [
      ("HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello", 200, "hello"),
      ("HTTP/1.0 200 OK\r\n\r\nuntil the end", 200, "until the end"),
      ("HTTP/1.1 200 OK\r\n\r\nuntil the end", 200, "until the end"),
      ("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", 204, ""),
      ("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", 304, ""),
      ("HTTP/1.1 299 Fine\r\nContent-Length: 2\r\n\r\nok", 299, "ok"),
      ("HTTP/1.1 599 Odd\r\nContent-Length: 2\r\n\r\nok", 599, "ok"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 200, "hello"),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 200, ""),
      ("HTTP/1.1 200 OK\r\nContent-Length:5\r\nX-Folded: a\r\n  b\r\n\r\nhello", 200, "hello"),
      ("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", 200, "hello"),
    ], Delivery.allCases)
  func unusual(_ example: (bytes: String, status: Int, text: String), _ delivery: Delivery) async throws {
    let server = try await LoopbackServer.start { _ in .raw(example.bytes) }
    let response = try await CurlTransport().whole(HTTPRequest(url: try server.url()), delivery)
    #expect(response.head.status.code == example.status)
    #expect(response.text == example.text)
  }

  @Test(
    "a bad head is never followed by a request on its connection",
    arguments: [
      "HTTP/1.1 2000 OK", "HTTP/1.1 200 OK\r\nno field", "HTTP/1.1 200 OK\r\nno name: x",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked", "HTTP/1.1 200 OK\r\nX: a\u{1}b", "HTTP/1.1 200 OK\r\nX: a\rb",
      "HTTP/1.1 200 OK\r\nContent-Length: 4",
    ], Delivery.allCases)
  func badHead(_ start: String, _ delivery: Delivery) async throws {
    let server = try await LoopbackServer.start { _ in
      .raw("\(start)\r\nContent-Length: 5\r\n\r\nhello", keepsConnection: true)
    }
    let transport = CurlTransport()
    let request = HTTPRequest(url: try server.url())
    await #expect(throws: APIError.transport(.malformed)) { try await transport.whole(request, delivery) }
    try await server.wait { $0.openConnections == 0 }
  }

  @Test(arguments: [
    ("220 mail.example ESMTP\r\n", APIError.notHTTP), ("220", .notHTTP),
    ("HTTP/x.y zzz\r\n\r\n", .transport(.malformed)), ("HTTP/1.1 20 OK\r\n\r\n", .transport(.malformed)),
  ])
  func `what went wrong on an earlier connection does not name the error`(
    _ bytes: String, _ error: APIError
  ) async throws {
    let server = try await LoopbackServer.start { request in
      if request.path == "/right" { return .text("right") }
      return request.requestNumber == 1 ? .raw(bytes) : .noReply(by: .reset)
    }
    let transport = CurlTransport()
    for method in [.get, .head] as [HTTPRequest.Method] {
      _ = try await transport.whole(HTTPRequest(url: try server.url("/right")))
      // Sent on the connection that was kept, which is reset, and then by libcurl on a new one.
      await #expect(throws: error) {
        try await transport.whole(HTTPRequest(method: method, url: try server.url("/bad")))
      }
    }
    #expect(server.counts.requests == 6)
  }

  @Test func `a body cut short comes with its head`() async throws {
    let server = try await LoopbackServer.start { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello") }
    let context = RequestContext(delivery: .collected(upTo: 100))
    let response = try await CurlTransport().send(HTTPRequest(url: try server.url()), context: context)
    var chunks = response.body.makeAsyncIterator()
    #expect(try await chunks.next() == Data("hello".utf8))
    await #expect(throws: APIError.transport(.truncated)) { try await chunks.next() }
  }

  @Test func `nobody listens`() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:1/"))
    let request = HTTPRequest(method: .post, url: url)
    let error = await #expect(throws: APIError.self) { try await CurlTransport().whole(request) }
    #expect(error == .transport(.connectionRefused))
    #expect(error?.mayHaveReachedServer == false)
  }

  @Test func `a host that does not exist`() async throws {
    let url = try #require(URL(string: "http://nowhere.invalid/"))
    await #expect(throws: APIError.transport(.nameResolution)) {
      try await CurlTransport().whole(HTTPRequest(url: url))
    }
  }

  @Test func `a connection reset in the body`() async throws {
    let server = try await LoopbackServer.start { _ in
      .text("some longer text").breaking(.inBody(after: 10), by: .reset)
    }
    for delivery in Delivery.allCases {
      let error = await #expect(throws: APIError.self) {
        try await CurlTransport().whole(HTTPRequest(url: try server.url()), delivery)
      }
      #expect([.transport(.connectionLost), .transport(.truncated)].contains(error))
    }
  }
}
