import Foundation
import NetCore
import NetLoopback

extension TransportConformance.Case {
  static let flow = [
    dripping, slowEverything, stoppedEarly, droppedUnread, discarded, slowReader, slowServer,
  ]

  /// One byte at a time, head and chunks alike.
  public static let dripping = Self("reads a response that comes byte by byte") { trial in
    let wire = try await trial.serve { _ in
      LoopbackResponse(body: HTTPBody(isReplayable: false) { Pattern.chunks(100) })
        .dripping(bytes: 1, every: .milliseconds(1))
    }
    try expect("the body", try await wire.send().body.bufferedBytes, is: Pattern.bytes(100))
  }

  /// Everybody takes their time, and nothing is lost.
  public static let slowEverything = Self("a slow server and a slow reader lose nothing") { trial in
    let wire = try await trial.serve { request in
      var received = Data()
      for try await chunk in request.body {
        received.append(chunk)
        try await Task.sleep(for: .milliseconds(1))
      }
      let body = received
      return LoopbackResponse(body: HTTPBody(body.prefix(5_000))).dripping(bytes: 50, every: .milliseconds(2))
    }
    let response = try await wire.open(
      .post, fields: [.contentType: "text/plain"], body: HTTPBody(Pattern.bytes(1_000_000)))
    var received = Data()
    for try await chunk in response.body {
      received.append(chunk)
      try await Task.sleep(for: .milliseconds(1))
    }
    try expect("the body", received, is: Pattern.bytes(5_000))
  }

  /// A reader that stops closes the exchange.
  public static let stoppedEarly = closing("a body read in part") { response in
    for try await chunk in response.body where !chunk.isEmpty { break }
  }

  /// A body that nobody reads closes the exchange when it is dropped.
  public static let droppedUnread = closing("a body dropped unread") { _ in }

  /// `discard()` closes the exchange while the body is still held.
  public static let discarded = closing("a discarded body", holding: true) { $0.body.discard() }

  private static func closing(
    _ what: String, holding: Bool = false, _ leave: @escaping @Sendable (HTTPResponse) async throws -> Void
  ) -> Self {
    Self("\(what) closes its connection", deliveries: [.streaming]) { trial in
      let wire = try await trial.serve { _ in
        .bytes(Pattern.bytes(1_000_000)).breaking(.inBody(after: 500_000), by: .stall)
      }
      let held = try await { () async throws -> HTTPResponse? in
        let response = try await wire.open()
        try await leave(response)
        return holding ? response : nil
      }()
      try await wire.waitUntilClosed()
      withExtendedLifetime(held) {}
    }
  }

  /// The most bytes that may be on their way: what the sockets of both sides hold (Linux lets them grow to 36 MB on
  /// loopback), and as much again for buffers of the transport's own.
  private static let mostUnderway = 72_000_000

  /// A server sends no faster than the body is read.
  public static let slowReader = Self("a reader that pauses holds the server back", deliveries: [.streaming]) { trial in
    let sent = Counter()
    let wire = try await trial.serve { request in
      request.path == "/ping" ? .text("pong") : LoopbackResponse(body: HTTPBody(isReplayable: false) { endless(sent) })
    }
    let response = try await wire.open()
    var reader = response.body.makeAsyncIterator()
    var received = 0
    for _ in 0..<2 {
      let aim = received + 10_000_000
      while received < aim, let chunk = try await reader.next() { received += chunk.count }
      try expect("10 MB", received >= aim, got: received)
      try await waitForStandstill(of: sent, beyond: received, wire, "the server")
    }
  }

  /// A request's body is drawn from its source no faster than the server takes it.
  public static let slowServer = Self(
    "a server that pauses holds the request's body back", deliveries: [.streaming]
  ) { trial in
    let sent = Counter()
    let begun = Gate()
    let wire = try await trial.serve { request in
      guard request.path != "/ping" else { return .text("pong") }
      begun.open()
      await request.waitForClientToLeave()
      return .noReply()
    }
    let upload = Task {
      defer { begun.open() }
      let body = HTTPBody(isReplayable: false) { endless(sent) }
      return try await wire.open(.post, fields: [.contentType: "text/plain"], body: body)
    }
    defer { upload.cancel() }
    trial.step = "the upload to begin"
    await begun.wait()
    try await waitForStandstill(of: sent, beyond: 0, wire, "the request's body")
    upload.cancel()
    trial.step = "the cancelled upload to end"
    try await expectCancellation("the upload") { try await upload.value }
  }

  private static func endless(_ sent: Counter) -> AsyncStream<Data> {
    let chunk = Pattern.bytes(100_003)
    return AsyncStream {
      sent.add(chunk.count)
      return chunk
    }
  }

  /// Waits until `sent` stands still for the time that many round trips take.
  private static func waitForStandstill(
    of sent: Counter, beyond received: Int, _ wire: Wire, _ who: String
  ) async throws {
    var last = -1
    var quietRounds = 0
    while quietRounds < 100 {
      try expect("an answer", try await wire.send(.get, "/ping").text, is: "pong")
      let count = sent.value
      guard count - received <= mostUnderway else {
        throw Mismatch("expected \(who) to be held back, but it is \(count - received) bytes ahead")
      }
      quietRounds = count == last ? quietRounds + 1 : 0
      last = count
    }
  }
}
