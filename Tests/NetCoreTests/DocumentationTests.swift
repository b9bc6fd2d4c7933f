import Foundation
import NetCore
import NetTesting
import Testing

// The samples of README and DocC, compiled. What they show is tested in the suites of its own.

private struct User: Codable, Sendable {
  var id: Int
  var name: String
}

private struct GetUser: APIRequest {
  typealias Response = User
  let id: Int
  var path: RequestPath { "users/\(id)" }
}

private struct RequestID: HTTPMiddleware {
  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    var request = request
    request.fields["X-Request-ID"] = UUID().uuidString
    return try await next.send(request, context: context)
  }
}

extension HTTPClient.Configuration {
  fileprivate static var staging: Self {
    var staging = Self(name: "staging", baseURL: URL(string: "https://staging.example.com/v1")!)
    staging.coders = .json(keys: .snakeCase, keyPath: "data")
    staging.observers = [HTTPLog(level: nil)]
    staging.attemptMiddlewares = [RequestID()]
    return staging
  }
}

@Suite struct DocumentationTests {
  @Test func `the samples work as written`() async throws {
    let transport = ClosureTransport { request in
      request.path == "/v1/users/7" ? .json(#"{"data": {"id": 7, "name": "Ann"}}"#) : .json(#"{"data": []}"#)
    }
    let client = HTTPClient(.staging, transport: transport)
    let user = try await client.send(GetUser(id: 7))
    let users = try await client.send(Endpoint(path: "users", query: ["q": "a+b", "page": 2]), as: [User].self)
    try await client.send(Endpoint<Void>(.delete, path: "users/\(7)"))
    #expect(user.name == "Ann")
    #expect(users.isEmpty)
    #expect(Set(transport.requests.compactMap { $0.fields["X-Request-ID"] }).count == 3)
  }

  @Test(
    arguments: [
      ("users/\(7)", "https://h/v1/users/7"), ("/users/\("a/../b")", "https://h/v1/users/a%2F..%2Fb"),
      ("files/\("50% off?")", "https://h/v1/files/50%25%20off%3F"), ("a%20b", "https://h/v1/a%20b"),
    ] as [(RequestPath, String)])
  func `the table of paths is true`(path: RequestPath, url: String) async throws {
    let transport = ClosureTransport { _ in .status(.ok) }
    try await HTTPClient(baseURL: URL(string: "https://h/v1")!, transport: transport).send(Endpoint<Void>(path: path))
    #expect(transport.requests.first?.url.absoluteString == url)
  }
}
