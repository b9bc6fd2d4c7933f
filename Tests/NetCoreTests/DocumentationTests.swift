import Foundation
import NetCore
import NetTesting
import TestSupport
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

  @Test func `the samples of forms work as written`() async throws {
    let folder = try TemporaryFolder()
    let photo = URL(filePath: try folder.write("JPEG", to: "ferns.jpg"))
    let json = Data("{}".utf8)

    var form = MultipartForm()
    form.append("caption", "Ferns")
    try form.append("photo", file: photo)
    form.append("settings", bytes: json, contentType: "application/json")
    let transport = ClosureTransport { _ in .json(#"{"id": 7, "name": "Ferns"}"#) }
    let client = HTTPClient(baseURL: exampleURL, transport: transport)
    let user: User = try await client.send(Endpoint(.post, path: "photos", body: .multipart(form)))
    #expect(user.id == 7)

    let request = try #require(transport.requests.first)
    let reader = try MultipartReader(HTTPBody(request.body), contentType: request.fields[.contentType])
    var (caption, stored) = ("", Data())
    for try await part in reader {
      switch part.name {
      case "caption": caption = try await part.text()
      case "photo": for try await chunk in part.body { stored.append(chunk) }
      default: break
      }
    }
    #expect(caption == "Ferns")
    #expect(stored == Data("JPEG".utf8))
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
