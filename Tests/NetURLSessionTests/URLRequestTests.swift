import Foundation
import NetCore
import NetURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(1))) struct URLRequestTests {
  private static let url = URL(string: "https://api.example.com/users?q=1")!

  @Test func `a request survives both conversions`() async throws {
    let request = HTTPRequest(
      method: .put, url: Self.url, fields: [.accept: "text/x", "X-Trace": "7"], body: HTTPBody(Data("hi".utf8)))
    let again = try HTTPRequest(URLRequest(request))
    #expect(again.method == .put)
    #expect(again.url == Self.url)
    #expect(again.fields == request.fields)
    #expect(try await again.body.collect(upTo: 10) == Data("hi".utf8))
  }

  @Test func `a URLRequest without a method or body is a GET`() throws {
    let request = try HTTPRequest(URLRequest(url: Self.url))
    #expect(request.method == .get)
    #expect(request.body.isEmpty)
  }

  @Test func `a body that is a stream is refused, with the remedy`() async throws {
    var urlRequest = URLRequest(url: Self.url)
    urlRequest.httpMethod = "POST"
    urlRequest.httpBodyStream = InputStream(data: Data("hi".utf8))
    let error = #expect(throws: APIError.self) { _ = try HTTPRequest(urlRequest) }
    #expect(error?.kind == .unsupported)
    #expect(error?.reason.contains("httpBody") == true)
    let client = URLSessionNetworkClient(baseURL: Self.url)
    let sent = await #expect(throws: APIError.self) { let _: String = try await client.send(urlRequest) }
    #expect(sent?.kind == .unsupported)
  }

  @Test func `a URLRequest that is no request is refused`() async throws {
    var noMethod = URLRequest(url: Self.url)
    noMethod.httpMethod = "GET / HTTP/1.1\r\nX-Evil: 1\r\n\r\nGET"
    #expect(throws: APIError.invalidRequest) { try HTTPRequest(noMethod) }

    var noName = URLRequest(url: Self.url)
    noName.setValue("1", forHTTPHeaderField: "X-A\r\nX-Evil")
    #expect(throws: APIError.invalidRequest) { try HTTPRequest(noName) }

    var noURL = URLRequest(url: Self.url)
    noURL.url = nil
    #expect(throws: APIError.invalidURL) { try HTTPRequest(noURL) }

    let client = URLSessionNetworkClient(baseURL: Self.url)
    for limit in [0, -1, .infinity, .nan] {
      let noTime = URLRequest(url: Self.url, timeoutInterval: limit)
      await #expect(throws: APIError.invalidRequest) { let _: String = try await client.send(noTime) }
    }
    let relative = URLRequest(url: URL(string: "users/1")!)
    await #expect(throws: APIError.invalidURL) { let _: String = try await client.send(relative) }
  }

  @Test func `a request that is not valid makes no URLRequest`() throws {
    #expect(throws: APIError.invalidURL) { try URLRequest(HTTPRequest(url: URL(string: "ftp://example.com")!)) }
    #expect(throws: APIError.invalidRequest) { try URLRequest(HTTPRequest(url: Self.url, fields: ["X-A": "a\r\nb"])) }
    let file = HTTPRequest(method: .post, url: Self.url, body: try HTTPBody(file: URL(filePath: #filePath)))
    let error = #expect(throws: APIError.self) { try URLRequest(file) }
    #expect(error?.kind == .unsupported)
  }
}
