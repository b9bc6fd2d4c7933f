import Foundation
import NetCore
public import NetLoopback

extension Stubs {
  /// Starts a server on 127.0.0.1 that these stubs answer: the tier for what only a real wire has.
  ///
  ///     let server = try await Stubs.current.startServer()
  ///     let client = HTTPClient(baseURL: server.baseURL, transport: …)
  ///
  /// A reply that fails closes the connection without an answer; a request that no stub matches is answered 501.
  /// - Throws: `LoopbackStartError`.
  public func startServer(configuration: LoopbackServer.Configuration = .init()) async throws -> LoopbackServer {
    try await LoopbackServer.start(configuration: configuration) { [self] request in
      do {
        return try await LoopbackResponse(answer(RecordedRequest(request)))
      } catch let error as APIError where error.kind == .unsupported {
        return .problem(.notImplemented, detail: error.reason)
      } catch let error as LoopbackError {
        throw error
      } catch {
        try Task.checkCancellation()
        return .noReply(by: .close)
      }
    }
  }
}

extension RecordedRequest {
  /// The request that a server received, with its whole body.
  fileprivate init(_ request: LoopbackRequest) async throws {
    let url = URL(string: "http://\(request.fields[.host] ?? "127.0.0.1")\(request.target)")
    guard let url else { throw LoopbackError(.badRequest, "Host and target make no URL.") }
    self.init(
      method: request.method, url: url, fields: request.fields,
      body: try await request.body.collect(upTo: ClosureTransport.maximumBodySize))
  }
}

extension LoopbackResponse {
  fileprivate init(_ response: HTTPResponse) {
    // The server frames the content itself.
    var fields = response.fields
    fields.remove(.contentLength)
    let body: HTTPBody
    if let bytes = response.body.bufferedBytes {
      body = HTTPBody(bytes)
    } else {
      body = HTTPBody(length: response.body.length, isReplayable: false) { response.body }
    }
    self.init(status: response.status, fields: fields, body: body, trailers: response.body.trailers)
  }
}
