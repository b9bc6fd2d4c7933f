// The layer that tutorials end with, in our own words and under a hundred lines: it compiles and its tests pass. Each piece
// names the part of the kit that takes its place, and what that part does that this one does not.

import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// → `Endpoint` and `APIRequest`: paths that are encoded and cannot climb, fields, bodies, timeouts, validation.
private struct SmallEndpoint<Response: Decodable> {
  var method = "GET"
  var path: String
  var query: [URLQueryItem] = []
  var body: Data?

  func request(base: URL) throws -> URLRequest {
    var parts = URLComponents(url: base.appending(path: path), resolvingAgainstBaseURL: false)
    if !query.isEmpty { parts?.queryItems = query }
    guard let url = parts?.url else { throw SmallError.invalidURL }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    return request
  }
}

/// → `APIError`: one error with request, response, the server's message, and whether the server may have seen it.
private enum SmallError: Error, Equatable {
  case invalidURL, notHTTP, badStatus(Int), decoding(String), transport(String)
}

/// → `HTTPTransport`: `CurlTransport` or `URLSessionTransport`, with back-pressure, limits and honest cancellation.
private protocol SmallTransport: Sendable {
  func data(for request: URLRequest) async throws -> (Data, URLResponse)
}

/// → `HTTPClient`: a pipeline with deadlines, size limits, middlewares and a log that leaks no secret.
private struct SmallClient<Transport: SmallTransport> {
  let base: URL
  let transport: Transport

  func send<Response>(_ endpoint: SmallEndpoint<Response>) async throws -> Response {
    let (data, response): (Data, URLResponse)
    do {
      (data, response) = try await transport.data(for: try endpoint.request(base: base))
    } catch let error as URLError {
      throw SmallError.transport("\(error.code)")
    }
    guard let http = response as? HTTPURLResponse else { throw SmallError.notHTTP }
    guard (200..<300).contains(http.statusCode) else { throw SmallError.badStatus(http.statusCode) }
    do {
      // → `Coders`: dates, keys, envelopes; and the rule for empty bodies, which this line fails on.
      return try JSONDecoder().decode(Response.self, from: data)
    } catch {
      throw SmallError.decoding("\(error)")
    }
  }
}

/// → `ClosureTransport` of NetTesting, which records requests; `FakeNetworkClient` for features.
private struct SmallStub: SmallTransport {
  let status: Int
  let body: String

  func data(for request: URLRequest) async throws -> (Data, URLResponse) {
    let response = HTTPURLResponse(url: request.url!, statusCode: status, httpVersion: nil, headerFields: nil)!
    return (Data(body.utf8), response)
  }
}

@Suite struct HundredLinesTests {
  private struct Tip: Decodable { var tip: String }

  private func send(status: Int, body: String) async throws -> Tip {
    let stub = SmallStub(status: status, body: body)
    return try await SmallClient(base: exampleURL, transport: stub).send(SmallEndpoint(path: "tips/today"))
  }

  @Test func `a tip is decoded, and a bad status is an error`() async throws {
    #expect(try await send(status: 200, body: #"{"tip": "Rinse the filter."}"#).tip == "Rinse the filter.")
    await #expect(throws: SmallError.badStatus(500)) { try await send(status: 500, body: "") }
  }
}
