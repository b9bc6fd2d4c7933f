import Foundation
import NetCore
import NetURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The transport works with a URLProtocol of the caller's own, which is how sessions are stubbed.
@Suite(.timeLimit(.minutes(1))) struct StubbedSessionTests {
  private let transport: URLSessionTransport = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [ScriptedProtocol.self]
    return URLSessionTransport(configuration: configuration)
  }()

  private func send(
    _ path: String, method: HTTPRequest.Method = .get, body: HTTPBody = .empty, delivery: RequestContext.Delivery
  ) async throws -> HTTPResponse {
    let url = URL(string: "http://stub.invalid/\(path)")!
    return try await transport.send(
      HTTPRequest(method: method, url: url, body: body), context: RequestContext(delivery: delivery))
  }

  @Test(arguments: deliveries) func `every chunk arrives`(delivery: RequestContext.Delivery) async throws {
    let response = try await send("chunks", delivery: delivery)
    #expect(response.status == .ok)
    #expect(try await response.text == "abc")
  }

  @Test(arguments: deliveries) func `a challenge is a response`(delivery: RequestContext.Delivery) async throws {
    let response = try await send("basic", delivery: delivery)
    #expect(response.status == .unauthorized)
    #expect(try await response.text == "abc")
  }

  @Test(
    arguments: [
      ("offline", .transport(.offline)), ("dns", .transport(.nameResolution)),
      ("timeout", .transport(.timedOut(.idle))),
      ("untrusted", .transport(.tls(.untrusted))), ("custom", .transport(.other)), ("notHTTP", .notHTTP),
      ("cancelled", .transport(.other)), ("late", .transport(.truncated)),
    ] as [(String, APIError.Kind)])
  func `an error is what it means`(path: String, kind: APIError.Kind) async throws {
    for delivery in deliveries {
      let error = await #expect(throws: APIError.self) { try await send(path, delivery: delivery).text }
      #expect(error?.kind == kind)
    }
  }

  @Test func `a stub sees the body`() async throws {
    let response = try await send("body", method: .post, body: HTTPBody(Data("hi".utf8)), delivery: deliveries[1])
    #expect(try await response.text == "hi")
  }

  @Test func `cancelling a call stops the stub`() async throws {
    let call = Task { try await send("never", delivery: deliveries[1]) }
    for _ in 0..<100 { await Task.yield() }
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
  }
}

/// Answers by the URL's last part.
private final class ScriptedProtocol: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool { true }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
  override func stopLoading() {}

  override func startLoading() {
    switch request.url?.lastPathComponent {
    case "chunks": answer(200, ["a", "b", "c"])
    case "basic": answer(401, ["abc"], ["WWW-Authenticate": "Basic realm=\"x\""])
    case "body": answer(200, [request.httpBody.map { String(decoding: $0, as: UTF8.self) } ?? "none"])
    case "offline": fail(URLError(.notConnectedToInternet))
    case "dns": fail(URLError(.cannotFindHost))
    case "timeout": fail(URLError(.timedOut))
    case "untrusted": fail(URLError(.serverCertificateUntrusted))
    case "cancelled": fail(URLError(.cancelled))
    case "custom": fail(CocoaError(.featureUnsupported))
    case "late":
      start(HTTPURLResponse(url: request.url!, statusCode: 200, httpVersion: nil, headerFields: [:])!)
      fail(URLError(.networkConnectionLost))
    case "notHTTP":
      start(URLResponse(url: request.url!, mimeType: nil, expectedContentLength: 0, textEncodingName: nil))
      client?.urlProtocolDidFinishLoading(self)
    default: break
    }
  }

  private func answer(_ status: Int, _ chunks: [String], _ fields: [String: String] = [:]) {
    start(HTTPURLResponse(url: request.url!, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)!)
    for chunk in chunks { client?.urlProtocol(self, didLoad: Data(chunk.utf8)) }
    client?.urlProtocolDidFinishLoading(self)
  }

  private func start(_ response: URLResponse) {
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
  }

  private func fail(_ error: any Error) {
    client?.urlProtocol(self, didFailWithError: error)
  }
}
