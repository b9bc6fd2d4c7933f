import Foundation
import NetCore
import NetLoopback
import Testing

/// What no strict server may understand: refused with the right status, and the connection is closed.
@Suite(.timeLimit(.minutes(1))) struct LoopbackMalformedTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let request: String
    let status: Int

    init(_ name: String, _ request: String, _ status: Int = 400) {
      (testDescription, self.request, self.status) = (name, request, status)
    }
  }

  private static let host = "Host: h\r\n"
  private static let chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"

  static let heads = [
    Case("both lengths", "POST / HTTP/1.1\r\n\(host)Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    Case(
      "both lengths, the other way", "POST / HTTP/1.1\r\n\(host)transfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n"
    ),
    Case("two lengths that differ", "POST / HTTP/1.1\r\n\(host)Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
    Case("two equal lengths", "POST / HTTP/1.1\r\n\(host)Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
    Case("a list of lengths", "POST / HTTP/1.1\r\n\(host)Content-Length: 3, 3\r\n\r\nabc"),
    Case("a signed length", "POST / HTTP/1.1\r\n\(host)Content-Length: +3\r\n\r\nabc"),
    Case("a negative length", "POST / HTTP/1.1\r\n\(host)Content-Length: -3\r\n\r\nabc"),
    Case("a hexadecimal length", "POST / HTTP/1.1\r\n\(host)Content-Length: 0x3\r\n\r\nabc"),
    Case("a length with a space in it", "POST / HTTP/1.1\r\n\(host)Content-Length: 1 1\r\n\r\nabc"),
    Case("an empty length", "POST / HTTP/1.1\r\n\(host)Content-Length:\r\n\r\nabc"),
    Case("a length past 64 bits", "POST / HTTP/1.1\r\n\(host)Content-Length: 18446744073709551619\r\n\r\nabc"),
    Case("an unknown coding", "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: gzip\r\n\r\n", 501),
    Case("a coding before chunked", "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
    Case("chunked that is not last", "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked, identity\r\n\r\n"),
    Case("chunked twice", "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"),
    Case("a name like chunked", "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: xchunked\r\n\r\n", 501),
    Case("chunked with a vertical tab", "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: \u{0B}chunked\r\n\r\n"),
    Case("chunked in HTTP/1.0", "POST / HTTP/1.0\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    Case("a space before the colon", "GET / HTTP/1.1\r\n\(host)Content-Length : 3\r\n\r\nabc"),
    Case("a tab before the colon", "GET / HTTP/1.1\r\n\(host)X\t: 3\r\n\r\n"),
    Case("a folded field", "GET / HTTP/1.1\r\n\(host)X: a\r\n b\r\n\r\n"),
    Case("a space before the first field", "GET / HTTP/1.1\r\n \(host)\r\n"),
    Case("a field without a colon", "GET / HTTP/1.1\r\n\(host)X\r\n\r\n"),
    Case("a field without a name", "GET / HTTP/1.1\r\n\(host): x\r\n\r\n"),
    Case("a name with a slash", "GET / HTTP/1.1\r\n\(host)X/Y: z\r\n\r\n"),
    Case("a name with é", "GET / HTTP/1.1\r\n\(host)Xé: z\r\n\r\n"),
    Case("NUL in a value", "GET / HTTP/1.1\r\n\(host)X: a\0b\r\n\r\n"),
    Case("DEL in a value", "GET / HTTP/1.1\r\n\(host)X: a\u{7F}b\r\n\r\n"),
    Case("a bare CR in a value", "GET / HTTP/1.1\r\n\(host)X: a\rb\r\n\r\n"),
    Case("a bare LF after a field", "GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n"),
    Case("bare LFs everywhere", "GET / HTTP/1.1\nHost: h\n\n"),
    Case("CR CR LF", "GET / HTTP/1.1\r\nHost: h\r\r\n\r\n"),
    Case("no Host", "GET / HTTP/1.1\r\n\r\n"),
    Case("two Hosts", "GET / HTTP/1.1\r\n\(host)\(host)\r\n"),
    Case("a Host with a path", "GET / HTTP/1.1\r\nHost: h/x\r\n\r\n"),
    Case("a Host with a user", "GET / HTTP/1.1\r\nHost: u@h\r\n\r\n"),
    Case("a Host that is a list", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"),
    Case("a Host with half an IPv6 address", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n"),
    Case("a method that is no token", "GE(T) / HTTP/1.1\r\n\(host)\r\n"),
    Case("no method", " / HTTP/1.1\r\n\(host)\r\n"),
    Case("no version", "GET /\r\n\(host)\r\n"),
    Case("two spaces", "GET  / HTTP/1.1\r\n\(host)\r\n"),
    Case("a space in the target", "GET /a b HTTP/1.1\r\n\(host)\r\n"),
    Case("a tab in the target", "GET /a\tb HTTP/1.1\r\n\(host)\r\n"),
    Case("é in the target", "GET /é HTTP/1.1\r\n\(host)\r\n"),
    Case("a fragment in the target", "GET /a#b HTTP/1.1\r\n\(host)\r\n"),
    Case("a target without a slash", "GET a HTTP/1.1\r\n\(host)\r\n"),
    Case("a target of another scheme", "GET ftp://h/ HTTP/1.1\r\n\(host)\r\n"),
    Case("an absolute target without a host", "GET http:///a HTTP/1.1\r\n\(host)\r\n"),
    Case("an absolute target with a user", "GET http://u:p@h/a HTTP/1.1\r\n\(host)\r\n"),
    Case("* with GET", "GET * HTTP/1.1\r\n\(host)\r\n"),
    Case("CONNECT", "CONNECT h:443 HTTP/1.1\r\n\(host)\r\n", 501),
    Case("HTTP/0.9 by name", "GET / HTTP/0.9\r\n\(host)\r\n", 505),
    Case("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    Case("HTTP/3.0", "GET / HTTP/3.0\r\n\(host)\r\n", 505),
    Case("a version of two digits", "GET / HTTP/1.10\r\n\(host)\r\n"),
    Case("a version in lower case", "GET / http/1.1\r\n\(host)\r\n"),
    Case("another protocol", "GET / RTSP/1.1\r\n\(host)\r\n"),
    Case("TLS", "\u{16}\u{03}\u{01}\u{02}\0\u{01}\n\n"),
    Case("two empty lines first", "\r\n\r\nGET / HTTP/1.1\r\n\(host)\r\n"),
    Case("an expectation nobody knows", "POST / HTTP/1.1\r\n\(host)Expect: tea\r\nContent-Length: 1\r\n\r\na", 417),
  ]

  static let bodies = [
    Case("a chunk size that is no number", chunked + "x\r\n"),
    Case("no chunk size", chunked + "\r\nabc"),
    Case("a signed chunk size", chunked + "+3\r\nabc\r\n0\r\n\r\n"),
    Case("a chunk size with 0x", chunked + "0x3\r\nabc\r\n0\r\n\r\n"),
    Case("a chunk size past 64 bits", chunked + "10000000000000003\r\nabc\r\n0\r\n\r\n"),
    Case("a chunk size past the limit", chunked + "7fffffffffffff\r\nabc", 413),
    Case("a chunk size after a space", chunked + " 3\r\nabc\r\n0\r\n\r\n"),
    Case("a chunk size before rubbish", chunked + "3 4\r\nabc\r\n0\r\n\r\n"),
    Case("a chunk size before a bare LF", chunked + "3\nabc\r\n0\r\n\r\n"),
    Case("a bare CR in an extension", chunked + "3;a\rb\r\nabc\r\n0\r\n\r\n"),
    Case("NUL in an extension", chunked + "3;a\0b\r\nabc\r\n0\r\n\r\n"),
    Case("an endless extension", chunked + "3;" + String(repeating: "x", count: 2_000)),
    Case("a chunk longer than its size", chunked + "3\r\nabcd\r\n0\r\n\r\n"),
    Case("a chunk before a bare LF", chunked + "3\r\nabc\n0\r\n\r\n"),
    Case("a malformed trailer", chunked + "0\r\nX : y\r\n\r\n"),
    Case("a folded trailer", chunked + "0\r\nX: y\r\n z\r\n\r\n"),
    Case("too many trailers", chunked + "0\r\n" + String(repeating: "X: y\r\n", count: 101) + "\r\n", 431),
  ]

  @Test(arguments: heads) func `refuses a malformed head`(malformed: Case) async throws {
    try await expectRefusal(of: malformed, readsBody: false)
  }

  @Test(arguments: bodies) func `refuses a malformed body that is read`(malformed: Case) async throws {
    try await expectRefusal(of: malformed, readsBody: true)
  }

  /// A body nobody reads is malformed all the same: what follows it must not be taken for a request.
  @Test(arguments: bodies) func `ends the connection after a malformed body that nobody reads`(
    malformed: Case
  ) async throws {
    let handled = try await LoopbackServer.with(handler: { _ in .text("ok") }) { server in
      let answers = try await RawClient.exchange(port: server.port, malformed.request + smuggled)
      #expect(answers.components(separatedBy: "HTTP/1.1 ").count == 2)
      return server.counts.requests
    }
    #expect(handled == 1)
  }

  @Test func `takes no request after a malformed body, whatever the handler makes of it`() async throws {
    try await LoopbackServer.with(handler: { request in
      _ = try? await request.body.collect()
      return .raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", keepsConnection: true)
    }) { server in
      let answers = try await RawClient.exchange(port: server.port, Self.chunked + "x\r\n0\r\n\r\n" + smuggled)
      #expect(answers == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
  }

  private let smuggled = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"

  private func expectRefusal(of malformed: Case, readsBody: Bool) async throws {
    try await LoopbackServer.with(handler: { request in
      #expect(readsBody, "the handler must not see the request")
      return .bytes(try await request.body.collect())
    }) { server in
      let answer = try await RawClient.exchange(port: server.port, malformed.request + smuggled)
      #expect(answer.hasPrefix("HTTP/1.1 \(malformed.status) "))
      #expect(answer.contains("\r\nConnection: close\r\n"))
      #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2)
    }
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\nhOST:\th \t\r\n\r\n", "GET / HTTP/1.1\r\nHost:\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET / HTTP/1.9\r\nHost: h\r\n\r\n",
    "M-SEARCH / HTTP/1.1\r\nHost: h\r\n\r\n", "GET /?a=%zz&%00 HTTP/1.1\r\nHost: h:\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\nX:\r\nX: é \t;\"\r\n\r\n", "GET HTTP://H HTTP/1.1\r\nHost: h\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n000003 ;a=\"b\"\r\nabc\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 003\r\n\r\nabc",
  ])
  func `takes what is unusual but right`(request: String) async throws {
    try await LoopbackServer.with(handler: { request in
      _ = try await request.body.collect()
      return .text("ok")
    }) { server in
      let answers = try await RawClient.exchange(port: server.port, request + "GET / HTTP/1.0\r\n\r\n")
      #expect(answers.components(separatedBy: "HTTP/1.1 200 OK").count == 3)
    }
  }
}
