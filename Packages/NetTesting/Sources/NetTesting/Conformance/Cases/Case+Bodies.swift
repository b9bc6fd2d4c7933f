import Foundation
import NetCore
import NetLoopback

extension TransportConformance.Case {
  static let bodies = [
    echoOfBytes, echoOfFile, echoOfStream, echoOfUnendingStream, noContentTypeAdded, lengthsSent, wrongLength,
    interleavedEcho, continueExpected, continueRefused,
  ]

  /// From 0 bytes to 64 MB.
  public static let echoOfBytes = echo("bytes") { count, run in try await run(HTTPBody(Pattern.bytes(count))) }

  /// From 0 bytes to 64 MB.
  public static let echoOfFile = echo("a file") { count, run in
    let file = FileManager.default.temporaryDirectory.appending(path: "conformance-\(UUID())")
    try Pattern.bytes(count).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try await run(try HTTPBody(file: file))
  }

  /// From 0 bytes to 64 MB.
  public static let echoOfStream = echo("a stream of known length") { count, run in
    try await run(HTTPBody(length: Int64(count), isReplayable: true) { Pattern.chunks(count) })
  }

  /// From 0 bytes to 64 MB.
  public static let echoOfUnendingStream = echo("a stream of unknown length") { count, run in
    try await run(HTTPBody(isReplayable: true) { Pattern.chunks(count) })
  }

  /// A case that sends a body of each size and gets it back.
  private static func echo(
    _ content: String,
    with body: @escaping @Sendable (_ count: Int, _ run: (HTTPBody) async throws -> Void) async throws -> Void
  ) -> Self {
    Self("sends \(content) of 0 bytes to 64 MB and gets it back") { trial in
      let wire = try await trial.serve { request in
        LoopbackResponse(
          fields: ["X-Length": request.body.length.map(String.init) ?? "unknown"],
          body: HTTPBody(length: request.body.length, isReplayable: false) { request.body })
      }
      // What is collected is all in memory.
      for count in [0, 1, 16_385, 1_000_003] + (trial.delivery == .streaming ? [64_000_000] : []) {
        try await body(count) { try await checkEcho(of: $0, count, wire) }
      }
    }
  }

  private static func checkEcho(of body: HTTPBody, _ count: Int, _ wire: Wire) async throws {
    let response = try await wire.open(.post, "/\(count)", fields: [.contentType: "text/plain"], body: body)
    try expect("the status", response.status, is: 200)
    if count > 0 {
      try expect("the length sent", response.fields["X-Length"], is: body.length.map(String.init) ?? "unknown")
    }
    var received = 0
    for try await chunk in response.body {
      try expect("\(count) bytes as they went", Pattern.matches(chunk, at: received), got: "others from \(received)")
      received += chunk.count
    }
    try expect("the size", received, is: count)
  }

  /// `Content-Type` is the caller's: nothing is guessed.
  public static let noContentTypeAdded = Self("content without a Content-Type is sent without one") { trial in
    let wire = try await trial.serve { request in .text(request.fields[.contentType] ?? "none") }
    for method in [HTTPRequest.Method.post, .put, .patch] {
      try expect("Content-Type", try await wire.send(method, body: HTTPBody("{}")).text, is: "none")
    }
  }

  /// A request has a `Content-Length` when it has or anticipates content, else none (RFC 9110, section 8.6).
  public static let lengthsSent = Self("sends one Content-Length where there is content, else none") { trial in
    let wire = try await trial.serve { request in
      .text((request.fields[values: .contentLength] + request.fields[values: .transferEncoding]).joined(separator: "|"))
    }
    let fields: HTTPFields = [.contentType: "text/plain"]
    try expect("the framing of GET", try await wire.send().text, is: "")
    for method in [HTTPRequest.Method.post, .put, .patch] {
      try expect("Content-Length of \(method)", try await wire.send(method, fields: fields).text, is: "0")
    }
    let body = HTTPBody("hello")
    for method in [HTTPRequest.Method.post, .put, .patch, .delete, "PURGE"] {
      try expect("Content-Length of \(method)", try await wire.send(method, fields: fields, body: body).text, is: "5")
    }
    let given = try await wire.send(.post, fields: [.contentType: "text/plain", .contentLength: "5"], body: body)
    try expect("a Content-Length that was given", given.text, is: "5")
  }

  /// A stream that is not as long as it says fails its request, which the server may have got a part of.
  public static let wrongLength = Self("a stream of another length than it announced fails") { trial in
    let wire = try await trial.serve { request in
      _ = try await request.body.collect()
      return .text("whole")
    }
    for count in [99_999, 100_002] {
      let body = HTTPBody(length: 100_001, isReplayable: true) { Pattern.chunks(count) }
      try await expectFailure("\(count) bytes announced as 100001", [.invalidRequest], mayHaveReachedServer: true) {
        try await wire.send(.post, fields: [.contentType: "text/plain"], body: body)
      }
    }
  }

  /// A response may come while its request is still being sent.
  public static let interleavedEcho = Self(
    "reads a response while it sends the request", deliveries: [.streaming]
  ) { trial in
    let wire = try await trial.serve { request in
      LoopbackResponse(body: HTTPBody(isReplayable: false) { request.body })
    }
    let (chunks, feed) = AsyncStream.makeStream(of: Data.self)
    feed.yield(Data("line 0\n".utf8))
    let response = try await wire.open(
      .post, fields: [.contentType: "text/plain"], body: HTTPBody(isReplayable: false) { chunks })
    var reader = response.body.makeAsyncIterator()
    for number in 0..<50 {
      var line = Data()
      trial.step = "line \(number) to come back"
      while line.last != UInt8(ascii: "\n"), let chunk = try await reader.next() { line.append(chunk) }
      try expect("line \(number)", String(decoding: line, as: UTF8.self), is: "line \(number)\n")
      feed.yield(Data("line \(number + 1)\n".utf8))
    }
    feed.finish()
    var rest = Data()
    while let chunk = try await reader.next() { rest.append(chunk) }
    try expect("the rest", String(decoding: rest, as: UTF8.self), is: "line 50\n")
  }

  /// Content that waits for `100 Continue` is sent when the server says so (RFC 9110, section 10.1.1).
  public static let continueExpected = Self("Expect: 100-continue sends the content when it is asked for") { trial in
    let wire = try await trial.serve { request in
      .text("\(request.fields[.expect] ?? "no Expect"), \(try await request.body.collect().count) bytes")
    }
    let response = try await wire.send(
      .post, fields: [.expect: "100-continue", .contentType: "text/plain"], body: HTTPBody(Pattern.bytes(200_000)))
    try expect("the status", response.status, is: 200)
    try expect("what the server got", response.text, is: "100-continue, 200000 bytes")
  }

  /// A server that wants no content answers at once, and its answer is the response.
  public static let continueRefused = Self("Expect: 100-continue brings a refusal with its body") { trial in
    let wire = try await trial.serve { _ in .text("no", status: .forbidden) }
    let response = try await wire.send(
      .post, fields: [.expect: "100-continue", .contentType: "text/plain"], body: HTTPBody(Pattern.bytes(200_000)))
    try expect("the status", response.status, is: 403)
    try expect("the body", response.text, is: "no")
  }
}
