import Foundation
import NetCore
import NetURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What URLSession cannot do is refused before anything is sent. (Port 1 refuses connections: reaching it would be
/// another error.)
@Suite(.timeLimit(.minutes(1))) struct RefusalTests {
  private static let url = URL(string: "http://127.0.0.1:1/")!
  private static let latin1 = HTTPFields([HTTPField(name: "X-A", bytes: [0x63, 0xE9])!])

  @Test(arguments: [
    (HTTPRequest(url: url, body: HTTPBody(Data("x".utf8))), "GET"),
    (HTTPRequest(method: .head, url: url, body: HTTPBody(Data("x".utf8))), "HEAD"),
    (
      HTTPRequest(method: .post, url: url, body: HTTPBody(isReplayable: true) { AsyncStream<Data> { $0.finish() } }),
      "file"
    ),
    (HTTPRequest(url: url, fields: [.te: "trailers"]), "TE"),
    (HTTPRequest(url: url, fields: latin1), "UTF-8"),
    (HTTPRequest(method: "get", url: url), "capitals"),
  ])
  func `is unsupported, with the remedy`(request: HTTPRequest, remedy: String) async throws {
    let error = await #expect(throws: APIError.self) {
      try await URLSessionTransport().send(request, context: RequestContext())
    }
    #expect(error?.kind == .unsupported)
    #expect(error?.reason.contains(remedy) == true)
    #expect(error?.mayHaveReachedServer == false)
  }

  #if !canImport(Darwin)
  @Test func `an IPv6 address and a proxy dictionary are unsupported on Linux`() async throws {
    let request = HTTPRequest(url: URL(string: "http://[::1]:1/")!)
    let error = await #expect(throws: APIError.self) {
      try await URLSessionTransport().send(request, context: RequestContext())
    }
    #expect(error?.kind == .unsupported)

    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = ["HTTPProxy": "localhost"]
    let other = await #expect(throws: APIError.self) {
      try await URLSessionTransport(configuration: configuration)
        .send(HTTPRequest(url: Self.url), context: RequestContext())
    }
    #expect(other?.kind == .unsupported)
  }
  #endif

  @Test func `an additional header that is none is refused`() async throws {
    for headers in [["X-A\r\nX-Evil": "1"], ["X-A": "1\r\nX-Evil: 1"]] {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpAdditionalHeaders = headers
      await #expect(throws: APIError.invalidRequest) {
        try await URLSessionTransport(configuration: configuration)
          .send(HTTPRequest(url: Self.url), context: RequestContext())
      }
    }
  }
}
