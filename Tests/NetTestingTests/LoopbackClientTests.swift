import Foundation
import NetCore
import NetLoopback
import TestSupport
import Testing

/// The server against clients that nobody here wrote: curl, and Python's `http.client`.
@Suite(.timeLimit(.minutes(1))) struct LoopbackClientTests {
  private static let big = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })

  private func withServer<Result>(run body: (String) async throws -> Result) async throws -> Result {
    try await LoopbackServer.with(handler: { request in
      switch request.path {
      case "/echo": LoopbackResponse(body: HTTPBody(length: request.body.length, isReplayable: false) { request.body })
      case "/big": Self.range(of: request)
      case "/count":
        .text("\(request.connectionNumber).\(request.requestNumber) \(try await request.body.collect().count)\n")
      case "/trailers": LoopbackResponse(body: HTTPBody(Data("abc".utf8)), trailers: ["X-Sum": "3"])
      case "/refuse": .problem(.unauthorized)
      default: .text("hello\n")
      }
    }) { try await body("http://127.0.0.1:\($0.port)") }
  }

  private static func range(of request: LoopbackRequest) -> LoopbackResponse {
    let bounds = (request.fields[.range] ?? "").dropFirst(6).split(separator: "-").compactMap { Int($0) }
    guard bounds.count == 2 else { return .bytes(big) }
    var response = LoopbackResponse.bytes(big[bounds[0]...bounds[1]], status: .partialContent)
    response.fields[.contentRange] = "bytes \(bounds[0])-\(bounds[1])/\(big.count)"
    return response
  }

  private func curl(_ arguments: [String]) async throws -> String {
    let outcome = try await ChildProcess.run(["curl", "-sS", "--max-time", "30"] + arguments)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.text
  }

  @Test func `curl reuses a connection`() async throws {
    try await withServer { url in
      let output = try await curl(["\(url)/count", "\(url)/count", "\(url)/count"])
      #expect(output == "1.1 0\n1.2 0\n1.3 0\n")
    }
  }

  @Test func `curl sees the fields of HEAD, and trailers`() async throws {
    try await withServer { url in
      let head = try await curl(["--head", "\(url)/"])
      #expect(head.contains("\r\nContent-Length: 6\r\n"))
      let trailers = try await curl(["-i", "\(url)/trailers"])
      #expect(trailers.hasSuffix("\r\n\r\nabcX-Sum: 3\r\n"))
    }
  }

  @Test func `curl uploads in chunks, and gets its bytes back`() async throws {
    try await withServer { url in
      let outcome = try await ChildProcess.run(["curl", "-sS", "-T", "-", "\(url)/echo"], input: Self.big)
      #expect(outcome.output == Self.big)
    }
  }

  @Test func `curl waits for 100 Continue, and is refused before it sends`() async throws {
    try await withServer { url in
      let expecting = ["-v", "-H", "Expect: 100-continue", "--expect100-timeout", "20", "--data-binary", "@-"]
      let read = try await ChildProcess.run(["curl"] + expecting + ["\(url)/count"], input: Self.big)
      #expect(read.text == "1.1 3000000\n")
      #expect(read.errors.contains("< HTTP/1.1 100 Continue"))
      let refused = try await ChildProcess.run(["curl"] + expecting + ["\(url)/refuse"], input: Self.big)
      #expect(refused.errors.contains("< HTTP/1.1 401 Unauthorized"))
      #expect(!refused.errors.contains("100 Continue\r"))
    }
  }

  @Test func `curl gets ranges of a large body`() async throws {
    try await withServer { url in
      let outcome = try await ChildProcess.run(["curl", "-sS", "-r", "1000000-1999999", "\(url)/big"])
      #expect(outcome.output == Self.big[1_000_000...1_999_999])
      #expect(try await ChildProcess.run(["curl", "-sS", "\(url)/big"]).output == Self.big)
    }
  }

  @Test func `Python's http.client keeps a connection, sends chunks and reads all there is`() async throws {
    let script = """
      import http.client, sys
      c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=20)
      def ask(*args, **more):
          c.request(*args, **more)
          r = c.getresponse()
          return r.status, r.read(), dict(r.getheaders())
      for i in range(3):
          assert ask("GET", "/count")[1] == b"1.%d 0\\n" % (i + 1)
      assert ask("POST", "/echo", body=iter([b"ab", b"", b"c" * 100000]), encode_chunked=True)[1] == b"ab" + b"c" * 100000
      assert ask("POST", "/echo", body=b"x" * 100000)[1] == b"x" * 100000
      status, body, fields = ask("HEAD", "/big")
      assert (status, body, fields["Content-Length"]) == (200, b"", "3000000"), (status, body, fields)
      assert len(ask("GET", "/big")[1]) == 3000000
      assert ask("GET", "/trailers")[1] == b"abc"
      assert ask("GET", "/refuse")[0] == 401
      assert ask("GET", "/count")[1] == b"1.10 0\\n"
      print("all right")
      """
    try await LoopbackClientTests().withServer { url in
      let port = try #require(url.split(separator: ":").last)
      let outcome = try await ChildProcess.run(["python3", "-c", script, String(port)])
      #expect(outcome.text == "all right\n", "\(outcome.errors)")
    }
  }
}
