import Foundation
import NetCore
import NetLoopback
import NetURLSession

/// A loopback server and a transport to talk to it.
struct Wire: Sendable {
  let server: LoopbackServer
  let transport: URLSessionTransport

  func url(_ path: String) -> URL {
    URL(string: server.baseURL.absoluteString + path)!
  }

  func send(
    _ method: HTTPRequest.Method = .get, _ path: String = "/", fields: HTTPFields = [:], body: HTTPBody = .empty,
    delivery: RequestContext.Delivery = .collected(upTo: 1 << 20)
  ) async throws -> HTTPResponse {
    let request = HTTPRequest(method: method, url: url(path), fields: fields, body: body)
    return try await transport.send(request, context: RequestContext(delivery: delivery))
  }
}

/// Runs `body` with a server that answers with `handler`.
func withServer(
  maximumUnreadBytes: Int = URLSessionTransport.defaultMaximumUnreadBytes,
  _ handler: @escaping LoopbackServer.Handler, run body: (Wire) async throws -> Void
) async throws {
  let transport = URLSessionTransport(maximumUnreadBytes: maximumUnreadBytes)
  try await LoopbackServer.with(handler: handler) { server in
    try await body(Wire(server: server, transport: transport))
  }
}

/// Both ways to have a body delivered.
let deliveries: [RequestContext.Delivery] = [.streaming, .collected(upTo: 1 << 20)]

extension HTTPResponse {
  var text: String {
    get async throws { String(decoding: try await body.collect(upTo: 1 << 20), as: UTF8.self) }
  }
}

extension LoopbackResponse {
  /// Sends `head` and then nothing, until the client has left.
  static func stalling(after head: String) -> Self {
    .raw([.send(head), .waitForClientToLeave])
  }
}

/// The request as it came, for tests of what was sent.
struct Echo: Codable, Equatable, Sendable {
  var method: String
  var target: String
  var fields: [String: [String]]
  var body: String

  static func reply(to request: LoopbackRequest) async throws -> LoopbackResponse {
    let fields = Dictionary(grouping: request.fields, by: \.name.canonicalName).mapValues { $0.map(\.value) }
    let body = try await request.body.collect(upTo: 10_000_000)
    return try .json(
      Echo(
        method: request.method.rawValue, target: request.target, fields: fields,
        body: String(decoding: body, as: UTF8.self)))
  }
}

extension HTTPResponse {
  var echo: Echo {
    get async throws { try JSONDecoder().decode(Echo.self, from: try await body.collect(upTo: 1 << 20)) }
  }
}
