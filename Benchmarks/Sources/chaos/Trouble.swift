import NetCore
import NetLoopback

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One way in which the server answers, and what may come of it.
struct Trouble: Sendable {
  let name: String
  /// Whether the request may succeed, with ``content(_:)`` and nothing else.
  var mayBeWhole = false
  /// How it may fail.
  var failures: Set<APIError.Kind> = []
  /// How it fails for a client that validates the status; `nil` when it does not.
  var refusal: APIError.Kind?
  /// The content for the request with this number.
  var content: @Sendable (Int) -> Data = { Data("content of \($0)".utf8) }
  let respond: @Sendable (_ content: Data, LoopbackRequest) async throws -> LoopbackResponse

  /// The way's place in the list, and the number of the request, as the URL's path has them.
  static func answer(_ request: LoopbackRequest) async throws -> LoopbackResponse {
    let path = request.pathSegments.compactMap { Int($0) }
    guard path.count == 2, all.indices.contains(path[0]) else { return .problem(.notFound) }
    return try await all[path[0]].respond(all[path[0]].content(path[1]), request)
  }

  static let all = right + broken + malformed + excessive
}

// MARK: What is right, if unusual

extension Trouble {
  private static let right = [
    good("a small body") { content, _ in .bytes(content) },
    good("another small body") { content, _ in .bytes(content) },
    good("an echo of the request's size") { content, request in
      _ = try await request.body.reduce(0) { $0 + $1.count }
      return .bytes(content)
    },
    good("700 kB", content: large) { content, _ in .bytes(content) },
    good("chunks") { content, _ in .init(body: chunked(content)) },
    good("chunks and trailers") { content, _ in .init(body: chunked(content), trailers: ["X-Sum": "1"]) },
    good("700 kB in chunks", content: large) { content, _ in .init(body: chunked(content)) },
    good("drops") { content, _ in .bytes(content).dripping(bytes: 40, every: .milliseconds(1)) },
    good("gzip") { content, _ in zipped(Data(gzipping: content)) },
    good("no content", content: { _ in Data() }) { _, _ in .init(status: .noContent) },
    good("early hints") { content, _ in .raw("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + whole(content)) },
    good("no reason phrase") { content, _ in .raw(whole(content, status: "HTTP/1.1 200")) },
    good("an end without a length") { content, _ in .raw("HTTP/1.1 200 OK\r\n\r\n" + text(content)) },
    good("more than was announced") { content, _ in .raw(whole(content) + "HTTP/1.1 200 OK\r\n\r\nnot yours") },
    good("a hang-up after a kept connection's response") { content, _ in .raw(whole(content)) },
    good("a hang-up by reset", failures: [.transport(.truncated)]) { content, _ in
      .raw([.send(whole(content)), .pause(.milliseconds(1)), .reset])
    },
    refused(.notFound), refused(.internalServerError), refused(.serviceUnavailable), refused(599),
    refused(299, as: nil),
    refused(.found, as: .otherStatus(.found)),
  ]

  private static func good(
    _ name: String, failures: Set<APIError.Kind> = [], content: (@Sendable (Int) -> Data)? = nil,
    respond: @escaping @Sendable (Data, LoopbackRequest) async throws -> LoopbackResponse
  ) -> Trouble {
    var trouble = Trouble(name: name, mayBeWhole: true, failures: failures, respond: respond)
    if let content { trouble.content = content }
    return trouble
  }

  private static func refused(_ status: HTTPResponse.Status) -> Trouble {
    refused(status, as: APIError.Kind(status: status))
  }

  private static func refused(_ status: HTTPResponse.Status, as kind: APIError.Kind?) -> Trouble {
    var trouble = good("status \(status.code)") { content, _ in .bytes(content, status: status) }
    trouble.refusal = kind
    return trouble
  }

  private static let large: @Sendable (Int) -> Data = { Data(repeating: UInt8(truncatingIfNeeded: $0), count: 700_000) }

  private static func chunked(_ content: Data) -> HTTPBody {
    HTTPBody(isReplayable: false) {
      AsyncStream { continuation in
        for start in stride(from: 0, to: content.count, by: max(7, content.count / 20)) {
          continuation.yield(content.dropFirst(start).prefix(max(7, content.count / 20)))
        }
        continuation.finish()
      }
    }
  }

  private static func text(_ content: Data) -> String { String(decoding: content, as: UTF8.self) }

  private static func whole(_ content: Data, status: String = "HTTP/1.1 200 OK") -> String {
    "\(status)\r\nContent-Length: \(content.count)\r\n\r\n\(text(content))"
  }

  private static func zipped(_ bytes: Data) -> LoopbackResponse {
    LoopbackResponse(fields: [.contentEncoding: "gzip"], body: HTTPBody(bytes))
  }
}

// MARK: What breaks off

extension Trouble {
  private static let firstByte = APIError.Kind.transport(.timedOut(.firstByte))
  private static let idle = APIError.Kind.transport(.timedOut(.idle))
  private static let truncated = APIError.Kind.transport(.truncated)

  private static let broken = [
    Trouble(name: "no reply: close") { _, _ in .noReply() },
    Trouble(name: "no reply: reset") { _, _ in .noReply(by: .reset) },
    Trouble(name: "no reply: stall", failures: [firstByte]) { _, _ in .noReply(by: .stall) },
    Trouble(name: "half a head: close", failures: [truncated]) { content, _ in .bytes(content).breaking(.inHead) },
    Trouble(name: "half a head: reset", failures: [truncated]) { .bytes($0, $1).breaking(.inHead, by: .reset) },
    Trouble(name: "half a head: stall", failures: [idle]) { .bytes($0, $1).breaking(.inHead, by: .stall) },
    Trouble(name: "no body: close", failures: [truncated]) { .bytes($0, $1).breaking(.inBody(after: 0)) },
    Trouble(name: "half a body: close", failures: [truncated]) { .bytes($0, $1).breaking(.inBody(after: 5)) },
    Trouble(name: "half a body: reset", failures: [truncated]) {
      .bytes($0, $1).breaking(.inBody(after: 5), by: .reset)
    },
    Trouble(name: "half a body: stall", failures: [idle]) { .bytes($0, $1).breaking(.inBody(after: 5), by: .stall) },
    Trouble(name: "half of 700 kB: close", failures: [truncated], content: large) {
      .bytes($0, $1).breaking(.inBody(after: 350_000))
    },
    Trouble(name: "half of 700 kB: reset", failures: [truncated], content: large) {
      .bytes($0, $1).breaking(.inBody(after: 350_000), by: .reset)
    },
    Trouble(name: "chunks without an end", failures: [truncated]) { content, _ in
      LoopbackResponse(body: chunked(content)).breaking(.inBody(after: 9))
    },
    Trouble(name: "gzip without an end", failures: [truncated]) { content, _ in
      zipped(Data(gzipping: content).dropLast(9))
    },
  ]
}

extension LoopbackResponse {
  fileprivate static func bytes(_ content: Data, _: LoopbackRequest) -> Self { .bytes(content) }
}

// MARK: What breaks the rules, or a limit

extension Trouble {
  private static let malformed = [
    raw("another protocol", .notHTTP, "220 mail.example ESMTP\r\n"),
    raw("a garbage status line", .transport(.malformed), "HTTP/x.y zzz\r\n\r\n"),
    raw("a status of two digits", .transport(.malformed), "HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nno"),
    raw("two lengths", .transport(.malformed), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nno"),
    raw("a negative length", .transport(.malformed), "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nno"),
    raw(
      "a line that is no field", .transport(.malformed), "HTTP/1.1 200 OK\r\nno field\r\nContent-Length: 2\r\n\r\nno"),
    raw("a control character", .transport(.malformed), "HTTP/1.1 200 OK\r\nX: \u{1}\r\nContent-Length: 2\r\n\r\nno"),
    raw(
      "a bad chunk", .transport(.malformed),
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nno\r\n0\r\n\r\n"),
    raw("a switch of protocols", .transport(.malformed), "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nno"),
    Trouble(name: "gzip with a wrong sum", failures: [.transport(.malformed)]) { content, _ in
      var bytes = Data(gzipping: content)
      bytes[bytes.count - 6] ^= 1
      return zipped(bytes)
    },
    Trouble(name: "gzip that is none", failures: [.transport(.malformed)]) { content, _ in zipped(content) },
  ]

  private static let excessive = [
    raw("a field of 80 kB", .tooLarge, "HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 80_000))\r\n\r\n"),
    raw("200 kB of fields", .tooLarge, "HTTP/1.1 200 OK\r\n\(String(repeating: "X-Field: x\r\n", count: 17_000))\r\n"),
    raw("200 kB of hints", .tooLarge, String(repeating: "HTTP/1.1 102 Wait\r\n\r\n", count: 9_000)),
    // Over the limit of what is collected, and of what may come of decoding.
    Trouble(name: "2 MB", mayBeWhole: true, failures: [.tooLarge], content: huge) { content, _ in .bytes(content) },
    Trouble(name: "2 MB in gzip", failures: [.tooLarge], content: huge) { _, _ in zipped(Data(zippedHuge)) },
  ]

  private static let huge: @Sendable (Int) -> Data = { _ in Data(count: 2_000_000) }
  /// An array, since the leak sanitizer does not see what a `Data` of the process's whole life refers to.
  private static let zippedHuge = Array(Data(gzipping: huge(0)))

  /// Makes what takes long to make, so that no request waits for it.
  static func prepare() { _ = zippedHuge }

  private static func raw(_ name: String, _ failure: APIError.Kind, _ text: String) -> Trouble {
    Trouble(name: name, failures: [failure]) { _, _ in .raw(text) }
  }
}
