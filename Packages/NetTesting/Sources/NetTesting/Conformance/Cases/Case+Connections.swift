import Foundation
import NetCore
import NetLoopback

extension TransportConformance.Case {
  static let connections = [
    connectionsReused, closedConnectionNotUsed, postSentOnce, getAfterHangUp, ipv6, connectionRefused, nameNotResolved,
  ]

  /// Connections are kept and used again.
  public static let connectionsReused = Self(
    "sends 1,000 requests over few connections, each with its own answer"
  ) { trial in
    let wire = try await trial.serve { .text($0.path) }
    try await withThrowingTaskGroup { group in
      for worker in 0..<20 {
        group.addTask {
          for number in 0..<50 {
            let path = "/\(worker)/\(number)"
            try expect("the body", try await wire.send(.get, path).text, is: path)
          }
        }
      }
      try await group.waitForAll()
    }
    let counts = wire.server.counts
    try expect("the number of requests", counts.requests, is: 1_000)
    try expect("100 connections at most", counts.connections <= 100, got: counts.connections)
  }

  /// A connection that the server has closed is not used for the next request, which may not be one to repeat.
  public static let closedConnectionNotUsed = Self("uses no connection that the server has closed") { trial in
    let closed = [Gate(), Gate(), Gate()]
    let wire = try await trial.serve { request in
      _ = try await request.body.collect()
      let close = { @Sendable [gate = closed[request.connectionNumber - 1]] in gate.open() }
      return .raw([.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), .halfClose, .wait(close)])
    }
    for number in 1...closed.count {
      let response = try await wire.send(.post, fields: [.contentType: "text/plain"], body: HTTPBody("content"))
      try expect("the body", response.text, is: "hello")
      trial.step = "the connection to be closed"
      await closed[number - 1].wait()
      try expect("the number of connections", wire.server.counts.connections, is: number)
    }
  }

  /// A request that a server may have acted on is not sent a second time behind the pipeline's back.
  public static let postSentOnce = Self("sends a POST once, also when a kept connection dies under it") { trial in
    let charges = Counter()
    let wire = try await trial.serve { request in
      guard request.method == .post else { return .text("hello") }
      _ = try await request.body.collect()
      charges.add()
      return .noReply()
    }
    for (number, body) in [HTTPBody.empty, HTTPBody("1 EUR")].enumerated() {
      try expect("the body", try await wire.send().text, is: "hello")
      try await expectFailure("a POST without an answer", [.transport(.connectionLost)], mayHaveReachedServer: true) {
        try await wire.send(.post, "/charges", fields: [.contentType: "text/plain"], body: body)
      }
      try expect("how often the server was asked to act", charges.value, is: number + 1)
    }
  }

  /// An idempotent request may be sent again when its kept connection turns out to be dead, but only then.
  public static let getAfterHangUp = Self("a GET on a kept connection that dies is repeated or fails") { trial in
    let wire = try await trial.serve { request in request.requestNumber == 1 ? .text("hello") : .noReply() }
    try expect("the body", try await wire.send().text, is: "hello")
    do {
      try expect("the body", try await wire.send().text, is: "hello")
    } catch let error as APIError {
      try expect("the kind of the error", error.kind, is: .transport(.connectionLost))
      try expect("mayHaveReachedServer", error.mayHaveReachedServer, is: true)
    }
    let requests = wire.server.counts.requests
    try expect("3 requests at most", requests <= 3, got: requests)
  }

  /// An IPv6 address in the URL.
  public static let ipv6 = Self("connects to an IPv6 address") { trial in
    let wire: Wire
    do {
      wire = try await trial.serve(host: .ipv6) { .text($0.fields[.host] ?? "no host") }
    } catch LoopbackStartError.addressUnavailable {
      throw Skip(reason: "This machine has no IPv6.")
    }
    try expect("Host", try await wire.send().text, is: "[::1]:\(wire.server.port)")
  }

  /// Nothing listens at the port: nothing was sent.
  public static let connectionRefused = unreachable(
    "a refused connection says that nothing was sent", "http://127.0.0.1:1/", .transport(.connectionRefused))

  /// A name that does not exist (RFC 6761, section 6.4): nothing was sent.
  public static let nameNotResolved = unreachable(
    "a name that does not exist says that nothing was sent", "http://host.invalid/", .transport(.nameResolution))

  private static func unreachable(_ name: String, _ text: String, _ kind: APIError.Kind) -> Self {
    Self(name) { trial in
      guard let url = URL(string: text) else { throw Mismatch("\(text) is no URL") }
      for method in [HTTPRequest.Method.get, .post] {
        try await expectFailure("\(method) \(text)", [kind], mayHaveReachedServer: false) {
          try await trial.send(HTTPRequest(method: method, url: url))
        }
      }
    }
  }
}
