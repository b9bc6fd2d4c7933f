import Foundation
import NetCore
import NetTesting
import Testing

private struct GetWidget: APIRequest {
  typealias Response = Widget
  let id: Int
  var path: RequestPath { "widgets/\(id)" }
}

private struct DeleteWidget: APIRequest {
  typealias Response = Void
  let id: Int
  var method: HTTPRequest.Method { .delete }
  var path: RequestPath { "widgets/\(id)" }
}

private struct FindWidget: APIRequest {
  typealias Response = Widget?
  let name: String
  let path: RequestPath = "widgets"
  var query: Query { ["name": name] }
}

/// A request that is generic over what it reads.
private struct Get<Response: Decodable & Sendable>: APIRequest {
  let path: RequestPath
}

private let widgetJSON = #"{"id": 1, "name": "Grinder"}"#
private let widget = Widget(id: 1, name: "Grinder")

@Suite struct CallFormTests {
  @Test func `every form of a call compiles as written and sends the same request`() async throws {
    let transport = answering(.json(widgetJSON))
    let client = makeClient(transport)
    #expect(try await client.send(Endpoint(path: "widgets/1"), as: Widget.self) == widget)
    let inferred: Widget = try await client.send(Endpoint(path: "widgets/1"))
    #expect(inferred == widget)
    #expect(try await client.send(GetWidget(id: 1)) == widget)
    #expect(try await client.send(Get<Widget>(path: "widgets/1")) == widget)
    let reply = try await client.reply(to: GetWidget(id: 1))
    #expect(reply.value == widget)
    #expect(reply.status == .ok)
    #expect(reply.fields[.contentType] == "application/json")
    #expect(reply.url?.absoluteString == "https://api.example.com/v1/widgets/1")
    #expect(Set(transport.requests.map(\.url)).count == 1)
  }

  @Test func `a feature holds the protocol`() async throws {
    let client: any NetworkClient = makeClient(answering(.json(widgetJSON)))
    #expect(try await client.send(GetWidget(id: 1)) == widget)
    #expect(try await client.send(Endpoint(path: "widgets/1"), as: Widget.self) == widget)
  }

  @Test func `a client is faked by a value, an error or a closure`() async throws {
    #expect(try await FakeNetworkClient(returning: widget).send(GetWidget(id: 1)) == widget)
    await #expect(throws: APIError.notFound) {
      try await FakeNetworkClient(throwing: APIError.notFound).send(GetWidget(id: 1))
    }
    let fake = FakeNetworkClient { request in
      if let request = request as? GetWidget { return Widget(id: request.id, name: "made") }
      return ()
    }
    #expect(try await fake.send(GetWidget(id: 7)).id == 7)
    try await fake.send(DeleteWidget(id: 7))
    #expect(fake.requests.count == 2)
    await withKnownIssue {
      await #expect(throws: FakeNetworkClient.WrongType.self) { try await fake.send(FindWidget(name: "x")) }
    }
  }

  @Test(arguments: [
    HTTPRequest.Method.get, .post, .put, .patch, .delete, .head, .options, "PURGE",
  ])
  func `any method is sent as it is`(method: HTTPRequest.Method) async throws {
    let transport = answering(.status(.noContent))
    try await makeClient(transport).send(Endpoint<Void>(method, path: "a"))
    #expect(transport.requests.first?.method == method)
  }
}

@Suite struct RequestEncodingTests {
  @Test func `an encodable body goes through the client's coders`() async throws {
    let transport = answering(.status(.created))
    let client = makeClient(transport) { $0.coders = .json(keys: .snakeCase) }
    try await client.send(Endpoint<Void>(.post, path: "users", body: .encoded(["userName": "Ann"])))
    try await client.send(Endpoint<Void>(.post, path: "users", body: .encoded(Person(firstName: "Ann"))))
    #expect(transport.requests.map(\.text) == [#"{"userName":"Ann"}"#, #"{"first_name":"Ann"}"#])
    #expect(transport.requests[0].fields[.contentType] == "application/json")
  }

  private struct Person: Codable { var firstName: String }

  @Test func `form fields are encoded as a browser does`() async throws {
    let transport = answering(.status(.ok))
    let form: Query = ["name": "Ann Lee", "note": "1+1=2 & more", "é": "ü"]
    try await makeClient(transport).send(Endpoint<Void>(.post, path: "a", body: .form(form)))
    #expect(transport.requests[0].text == "name=Ann+Lee&note=1%2B1%3D2+%26+more&%C3%A9=%C3%BC")
    #expect(transport.requests[0].fields[.contentType] == "application/x-www-form-urlencoded")
  }

  @Test func `text and bytes are sent as they are`() async throws {
    let transport = answering(.status(.ok))
    let client = makeClient(transport)
    try await client.send(Endpoint<Void>(.post, path: "a", body: .text("grüße")))
    try await client.send(Endpoint<Void>(.put, path: "a", body: .bytes(Data([0, 255]), contentType: "image/png")))
    #expect(transport.requests.map(\.body) == [Data("grüße".utf8), Data([0, 255])])
    #expect(transport.requests.map { $0.fields[.contentType] } == ["text/plain; charset=utf-8", "image/png"])
  }

  @Test func `a stream and a file are bodies`() async throws {
    let transport = answering(.status(.ok))
    let client = makeClient(transport)
    let file = FileManager.default.temporaryDirectory.appending(path: "body-\(UUID())")
    try Data(repeating: 7, count: 700_000).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try await client.send(Endpoint<Void>(.put, path: "a", body: .stream(HTTPBody(file: file), contentType: nil)))
    let stream = HTTPBody(isReplayable: false) {
      AsyncStream { continuation in
        for text in ["a", "b", "c"] { continuation.yield(Data(text.utf8)) }
        continuation.finish()
      }
    }
    try await client.send(Endpoint<Void>(.put, path: "a", body: .stream(stream, contentType: nil)))
    #expect(transport.requests[0].body == Data(repeating: 7, count: 700_000))
    #expect(transport.requests[1].text == "abc")
    let second = try await apiError {
      try await client.send(Endpoint<Void>(.put, path: "a", body: .stream(stream, contentType: nil)))
    }
    #expect(second == .invalidRequest)
  }

  @Test func `a file that is missing, or no regular file, is refused`() {
    #expect(throws: APIError.invalidRequest) { try HTTPBody(file: URL(filePath: "/nowhere/at/all")) }
    #expect(throws: APIError.invalidRequest) { try HTTPBody(file: URL(filePath: "/tmp")) }
  }

  @Test func `Accept, Content-Type and User-Agent are set unless the caller set them`() async throws {
    let transport = answering(.json(widgetJSON))
    let client = makeClient(transport) { $0.defaultFields = [.acceptLanguage: "de", "X-Team": "a"] }
    try await client.send(GetWidget(id: 1))
    let plain = transport.requests[0].fields
    #expect(plain[.accept] == "application/json, application/problem+json")
    #expect(plain[.userAgent]?.hasPrefix("NetCore/") == true)
    #expect(plain[.acceptLanguage] == "de")
    #expect(plain[.contentType] == nil)

    let fields: HTTPFields = [.accept: "text/csv", .contentType: "text/csv", .userAgent: "mine", "x-team": "b"]
    try await client.send(Endpoint<String>(.post, path: "a", fields: fields, body: .text("x")))
    let own = transport.requests[1].fields
    #expect(own[.accept] == "text/csv")
    #expect(own[.contentType] == "text/csv")
    #expect(own[.userAgent] == "mine")
    #expect(own[values: "X-Team"] == ["b"])
  }

  @Test(arguments: [
    (CacheMode.standard, nil), (.noCache, "no-cache"), (.reload, "no-cache"), (.forceCache, "max-stale"),
    (.onlyIfCached, "only-if-cached"), (.noStore, "no-store"),
  ])
  func `the cache mode is said to caches on the way`(mode: CacheMode, directive: String?) async throws {
    let transport = answering(.status(.ok))
    try await makeClient(transport).send(Endpoint<Void>(path: "a", cacheMode: mode))
    #expect(transport.requests[0].fields[.cacheControl] == directive)
  }

  @Test func `a value that cannot be encoded fails before anything is sent`() async throws {
    let transport = answering(.status(.ok))
    let error = try await apiError {
      try await makeClient(transport).send(Endpoint<Void>(.post, path: "a", body: .encoded(Double.nan)))
    }
    #expect(error == .invalidRequest)
    #expect(transport.requests.isEmpty)
  }
}

@Suite struct ResponseDecodingTests {
  @Test(arguments: [HTTPResponse.Status.ok, .noContent, .resetContent])
  func `no content is a success for types that have a value for it`(status: HTTPResponse.Status) async throws {
    let client = makeClient(answering(.status(status)))
    try await client.send(DeleteWidget(id: 1))
    #expect(try await client.send(FindWidget(name: "x")) == nil)
    #expect(try await client.send(Endpoint(path: "a"), as: EmptyResponse.self) == EmptyResponse())
    #expect(try await client.send(Endpoint(path: "a"), as: String.self) == "")
    #expect(try await client.send(Endpoint(path: "a"), as: Data.self).isEmpty)
    let error = try await apiError { try await client.send(GetWidget(id: 1)) }
    #expect(error == .noData)
    #expect(error.reason.contains("Widget"))
    #expect(error.status == status)
  }

  @Test func `content is read as text, bytes, an optional or nothing`() async throws {
    let client = makeClient(answering(.json(widgetJSON)))
    #expect(try await client.send(Endpoint(path: "a"), as: String.self) == widgetJSON)
    #expect(try await client.send(Endpoint(path: "a"), as: Data.self) == Data(widgetJSON.utf8))
    #expect(try await client.send(FindWidget(name: "Grinder")) == widget)
    #expect(try await client.send(Endpoint(path: "a"), as: EmptyResponse.self) == EmptyResponse())
    try await client.send(DeleteWidget(id: 1))
    #expect(try await makeClient(answering(.json("null"))).send(FindWidget(name: "x")) == nil)
  }

  @Test func `text that is not UTF-8 is read as Latin-1`() async throws {
    let client = makeClient(answering(.bytes(Data([0xE9]), contentType: "text/plain")))
    #expect(try await client.send(Endpoint(path: "a"), as: String.self) == "é")
  }

  @Test(arguments: [
    (#"{"id": 1, "name": null}"#, "name", "String"), (#"{"id": "1", "name": ""}"#, "id", "Int"),
    (#"{"id": 1}"#, "name", nil), (#"{"id": 1, "#, "", "Widget"), ("<html>", "", "Widget"),
  ])
  func `what cannot be decoded fails with its path`(json: String, path: String, expected: String?) async throws {
    let error = try await apiError { try await makeClient(answering(.json(json))).send(GetWidget(id: 1)) }
    #expect(error == .decoding)
    let failure = try #require(error.decodingFailure)
    #expect(failure.path == path)
    #expect(failure.expected == expected)
    #expect(error.underlying is DecodingError)
    #expect(error.status == .ok)
  }

  @Test func `a path leads through arrays`() async throws {
    let client = makeClient(answering(.json(#"[{"id": 1, "name": "a"}, {"id": 2, "name": false}]"#)))
    let error = try await apiError { try await client.send(Endpoint(path: "a"), as: [Widget].self) }
    #expect(error.decodingFailure?.path == "[1].name")
  }

  @Test func `an endpoint may read its response itself`() async throws {
    let client = makeClient(answering(.text("a,b", fields: ["X-Total": "2"])))
    let endpoint = Endpoint(path: "csv") { response, _ in
      (response.text.split(separator: ",").map(String.init), response.fields["X-Total"])
    }
    let (values, total) = try await client.send(endpoint)
    #expect(values == ["a", "b"])
    #expect(total == "2")
  }
}

@Suite struct StatusValidationTests {
  @Test(
    arguments: [
      (401, APIError.unauthorized), (403, .forbidden), (404, .notFound), (429, .rateLimited), (500, .badStatus(500)),
      (503, .badStatus(503)), (599, .badStatus(599)), (400, .badStatus(400)), (304, .badStatus(304)),
      (302, .badStatus(302)),
      (418, .badStatus(418)), (999, .badStatus(999)),
    ] as [(HTTPResponse.Status, APIError)])
  func `a status that is not 2xx fails by its kind`(status: HTTPResponse.Status, expected: APIError) async throws {
    let error = try await apiError { try await makeClient(answering(.status(status))).send(GetWidget(id: 1)) }
    #expect(error == expected)
    #expect(error.status == status)
    #expect(error.attempts == 1)
    #expect(error.mayHaveReachedServer)
    #expect(error.decodingFailure == nil)
  }

  @Test func `a 500 without a body is a bad status and nothing else`() async throws {
    await #expect(throws: APIError.badStatus(500)) {
      try await makeClient(answering(.status(500))).send(GetWidget(id: 1))
    }
    await #expect(throws: APIError.badStatus(500)) {
      try await makeClient(answering(.text("<h1>Oops</h1>", status: 500))).send(GetWidget(id: 1))
    }
  }

  @Test func `errors are caught by kind`() async throws {
    do {
      try await makeClient(answering(.status(404))).send(GetWidget(id: 1))
      Issue.record("nothing was thrown")
    } catch APIError.unauthorized {
      Issue.record("a 404 is no 401")
    } catch APIError.notFound {
    }
  }

  @Test func `the validation is replaceable for a client and for a request`() async throws {
    let client = makeClient(answering(.status(404))) { $0.validation = .statuses([.ok, .notFound]) }
    try await client.send(DeleteWidget(id: 1))
    await #expect(throws: APIError.notFound) {
      try await client.send(Endpoint<Void>(path: "a", validation: .successful))
    }
    let plain = makeClient(answering(.status(404, fields: ["X-Soft": "1"])))
    try await plain.send(Endpoint<Void>(path: "a", validation: .anyStatus))
    struct Refused: Error {}
    await #expect(throws: Refused.self) {
      try await plain.send(
        Endpoint<Void>(
          path: "a",
          validation: ResponseValidation { _, fields in
            if fields["X-Soft"] != nil { throw Refused() }
            return true
          }))
    }
  }
}

@Suite struct BodyLimitTests {
  @Test func `a response over the limit fails, with its status`() async throws {
    let client = makeClient(answering(.text("12345", status: 500))) { $0.maximumBodySize = 4 }
    let error = try await apiError { try await client.send(Endpoint<String>(path: "a")) }
    #expect(error == .tooLarge)
    let fitting = makeClient(answering(.text("12345"))) { $0.maximumBodySize = 5 }
    #expect(try await fitting.send(Endpoint<String>(path: "a")) == "12345")
  }

  @Test(.timeLimit(.minutes(1))) func `a body on its way is stopped at the limit`() async throws {
    let scripted = ScriptedBody()
    scripted.send("123")
    scripted.send("456")
    let client = makeClient(answering(HTTPResponse(status: 500, body: scripted.body))) { $0.maximumBodySize = 5 }
    let error = try await apiError { try await client.send(Endpoint<String>(path: "a")) }
    #expect(error == .tooLarge)
    #expect(error.status == 500)
    #expect(scripted.isCancelled)
  }
}

@Suite struct EnvironmentTests {
  @Test func `an environment is a named configuration`() async throws {
    var staging = HTTPClient.Configuration(name: "staging", baseURL: URL(string: "https://staging.example.com/v2")!)
    staging.defaultFields = ["X-Env": "staging"]
    let transport = answering(.status(.ok))
    let client = HTTPClient(staging, transport: transport)
    try await client.send(Endpoint<Void>(path: "a"))
    #expect(client.configuration.name == "staging")
    #expect(transport.requests[0].url.absoluteString == "https://staging.example.com/v2/a")
    #expect(transport.requests[0].fields["X-Env"] == "staging")
  }

  @Test func `the documented defaults are the defaults`() {
    let defaults = HTTPClient(baseURL: exampleURL, transport: answering(.status(.ok))).configuration
    #expect(defaults.timeout == .seconds(30))
    #expect(defaults.maximumBodySize == 10_000_000)
    #expect(defaults.observers.isEmpty)
    #expect(defaults.callMiddlewares.isEmpty && defaults.attemptMiddlewares.isEmpty)
    #expect(defaults.defaultFields.isEmpty)
  }
}
