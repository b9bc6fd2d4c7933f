import NetCore
import NetLoopback

extension TransportConformance.Case {
  static let faults = [
    notHTTP, garbageStatusLine, malformedFields, closeBeforeReply, closeInHead, incompleteBody, incompleteChunks,
    resetInBody, bytesBeforeFault, malformedChunks, conflictingLengths, invalidLength, oversizedFields,
  ]

  /// What answers speaks another protocol.
  public static let notHTTP = fault("an answer that is not HTTP fails", [.notHTTP], ["220 mail.example ESMTP\r\n"])

  /// A status line that is none.
  public static let garbageStatusLine = fault(
    "a status line that is none fails", [.notHTTP, .transport(.malformed)],
    ["HTTP/1.1 abc OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/x.y zzz\r\n\r\n"])

  /// A line of the head that is no field.
  public static let malformedFields = fault(
    "a line of the head that is no field fails", [.transport(.malformed)],
    ["HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 5\r\n\r\nhello"])

  /// The connection ends, in order or reset, before anything of a response has come.
  public static let closeBeforeReply = Self("a connection that ends before the response is lost") { trial in
    for ending in [LoopbackResponse.Fault.Ending.close, .reset] {
      try await checkMethods(trial, "\(ending) before the response", [.transport(.connectionLost)]) {
        .noReply(by: ending)
      }
    }
  }

  /// The connection ends inside the head: no response with some of its fields.
  public static let closeInHead = fault(
    "a head cut short is no response", [.transport(.truncated), .transport(.connectionLost)],
    ["HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", "HTTP/1.1 20"])

  /// Fewer bytes than `Content-Length` announced.
  public static let incompleteBody = fault(
    "a body shorter than its Content-Length is cut short", [.transport(.truncated)],
    ["HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"])

  /// A chunked body without its last chunk.
  public static let incompleteChunks = fault(
    "a chunked body without its end is cut short", [.transport(.truncated)],
    [
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello",
    ])

  /// A connection reset inside the body.
  public static let resetInBody = Self("a connection reset in the body is an error") { trial in
    try await checkMethods(trial, "a body that is reset", [.transport(.truncated), .transport(.connectionLost)]) {
      .text("hello, hello").breaking(.inBody(after: 5), by: .reset)
    }
  }

  /// A streamed body gives what came before it breaks.
  public static let bytesBeforeFault = Self(
    "a streamed body gives what came, and then fails", deliveries: [.streaming]
  ) { trial in
    let wire = try await trial.serve { _ in .text("hello, hello").breaking(.inBody(after: 5)) }
    let response = try await wire.open()
    try expect("the status", response.status, is: 200)
    var received = ""
    try await expectFailure("the body", [.transport(.truncated)], mayHaveReachedServer: true) {
      for try await chunk in response.body { received += String(decoding: chunk, as: UTF8.self) }
    }
    try expect("what came", received, is: "hello")
  }

  /// Chunks that are none (RFC 9112, section 7.1).
  public static let malformedChunks = fault(
    "malformed chunks fail", [.transport(.malformed)],
    [
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n",
    ])

  /// Two lengths that differ: the connection is not used again, as nobody knows where its next response begins
  /// (RFC 9112, section 6.3).
  public static let conflictingLengths = Self(
    "two Content-Lengths that differ fail, and close the connection"
  ) { trial in
    for lengths in ["5\r\nContent-Length: 4", "5, 4", "4, 5"] {
      let wire = try await trial.serve { request in
        request.path == "/next"
          ? .text("\(request.connectionNumber)")
          : .raw("HTTP/1.1 200 OK\r\nContent-Length: \(lengths)\r\n\r\nhello", keepsConnection: true)
      }
      try await expectFailure(
        "Content-Length \(lengths)".replacing("\r\n", with: "⏎"), [.transport(.malformed)], mayHaveReachedServer: true
      ) {
        try await wire.send()
      }
      try expect("the connection of the next request", try await wire.send(.get, "/next").text, is: "2")
    }
  }

  /// A length that is no number.
  public static let invalidLength = fault(
    "a Content-Length that is no number fails", [.transport(.malformed)],
    ["HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello"])

  /// A megabyte of fields, one or many, is not kept in memory.
  public static let oversizedFields = fault(
    "a head of 1 MB is refused", [.tooLarge],
    [
      "HTTP/1.1 200 OK\r\n\(String(repeating: "X-Field: some value\r\n", count: 50_000))Content-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX-Field: \(String(repeating: "x", count: 1_000_000))\r\nContent-Length: 0\r\n\r\n",
    ])

  /// A case in which a server sends each of `answers` and closes the connection.
  private static func fault(_ name: String, _ kinds: [APIError.Kind], _ answers: [String]) -> Self {
    Self(name) { trial in
      for answer in answers {
        let shown = "\"\(answer.prefix(80))\"".replacing("\r\n", with: "⏎")
        try await checkMethods(trial, shown, kinds) { .raw(answer) }
      }
    }
  }

  /// Checks that `answer` fails a GET and a POST, each of which has a server of its own.
  private static func checkMethods(
    _ trial: Trial, _ what: String, _ kinds: [APIError.Kind], answer: @escaping @Sendable () -> LoopbackResponse
  ) async throws {
    for (method, body) in [(HTTPRequest.Method.get, HTTPBody.empty), (.post, HTTPBody("content"))] {
      let wire = try await trial.serve { request in
        _ = try await request.body.collect()
        return answer()
      }
      try await expectFailure("\(what) to \(method)", kinds, mayHaveReachedServer: true) {
        try await wire.send(method, fields: body.isEmpty ? [:] : [.contentType: "text/plain"], body: body)
      }
    }
  }
}
