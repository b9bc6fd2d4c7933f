import Foundation
import NetCore
import NetLoopback
import Synchronization

/// One run of a case: the transport, how it is to deliver bodies, and the servers the case has started.
final class Trial: Sendable {
  let transport: any HTTPTransport
  let delivery: RequestContext.Delivery
  private let state = Mutex((servers: [LoopbackServer](), step: "a server"))

  init(_ transport: any HTTPTransport, _ delivery: RequestContext.Delivery) {
    self.transport = transport
    self.delivery = delivery
  }

  /// What the case waits for, for the message when it takes too long.
  var step: String {
    get { state.withLock { $0.step } }
    set { state.withLock { $0.step = newValue } }
  }

  /// Starts a server that answers with `handler`, and runs as long as the trial.
  func serve(host: LoopbackServer.Host = .ipv4, _ handler: @escaping LoopbackServer.Handler) async throws -> Wire {
    let server = try await LoopbackServer.start(host: host, handler: handler)
    state.withLock { $0.servers.append(server) }
    return Wire(server: server, trial: self)
  }

  /// Sends `request` and returns at the head.
  func open(_ request: HTTPRequest) async throws -> HTTPResponse {
    step = "a response to \(request.method) \(request.url.path())"
    return try await transport.send(request, context: RequestContext(delivery: delivery))
  }

  /// Sends `request` and reads the body to its end.
  func send(_ request: HTTPRequest, limit: Int = 1 << 20) async throws -> HTTPResponse {
    let response = try await open(request)
    step = "the body of \(request.method) \(request.url.path())"
    return try await response.collectingBody(upTo: limit)
  }

  /// Stops the servers.
  func end() async {
    for server in state.withLock({ $0.servers }) { await server.stop() }
  }
}

/// A trial's server, and requests to it.
struct Wire: Sendable {
  let server: LoopbackServer
  let trial: Trial

  func request(
    _ method: HTTPRequest.Method = .get, _ path: String = "/", fields: HTTPFields = [:], body: HTTPBody = .empty
  ) throws -> HTTPRequest {
    guard let url = URL(string: server.baseURL.absoluteString + path) else { throw Mismatch("\(path) is not a path") }
    return HTTPRequest(method: method, url: url, fields: fields, body: body)
  }

  /// Sends a request and returns at the head.
  func open(
    _ method: HTTPRequest.Method = .get, _ path: String = "/", fields: HTTPFields = [:], body: HTTPBody = .empty
  ) async throws -> HTTPResponse {
    try await trial.open(try request(method, path, fields: fields, body: body))
  }

  /// Sends a request and reads the body to its end.
  func send(
    _ method: HTTPRequest.Method = .get, _ path: String = "/", fields: HTTPFields = [:], body: HTTPBody = .empty
  ) async throws -> HTTPResponse {
    try await trial.send(try request(method, path, fields: fields, body: body))
  }

  /// Waits until the server has closed, or seen closed, every connection.
  func waitUntilClosed() async throws {
    trial.step = "every connection to be closed"
    try await server.wait { $0.openConnections == 0 }
  }

  /// Waits until no request is being answered.
  func waitUntilDone() async throws {
    trial.step = "every exchange to be closed"
    try await server.wait { $0.activeRequests == 0 }
  }
}

extension HTTPResponse {
  /// The collected body as text.
  var text: String {
    String(decoding: body.bufferedBytes ?? Data(), as: UTF8.self)
  }
}

extension HTTPBody {
  init(_ text: String) {
    self.init(Data(text.utf8))
  }
}
