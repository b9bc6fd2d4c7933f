import Foundation
import NetCore
import NetTesting
import Testing

/// The URL that a client with `base` asks for.
private func url(base: String, path: RequestPath, query: Query = [:]) async throws -> String {
  let transport = answering(.status(.noContent))
  let client = makeClient(transport, baseURL: try #require(URL(string: base)))
  try await client.send(Endpoint<Void>(path: path, query: query))
  return try #require(transport.requests.first).url.absoluteString
}

@Suite struct RequestPathTests {
  enum Shelf: String { case top = "top shelf" }

  @Test(arguments: [
    ("7", "users/7"), ("a/../b", "users/a%2F..%2Fb"), ("a b", "users/a%20b"), ("a+b", "users/a%2Bb"),
    ("a?b#c", "users/a%3Fb%23c"), ("50%", "users/50%25"), ("%2F", "users/%252F"), ("é", "users/%C3%A9"),
    ("a\r\nb", "users/a%0D%0Ab"), ("a\0b", "users/a%00b"), ("x:y@z;v=1,2", "users/x%3Ay%40z%3Bv%3D1%2C2"),
    ("...", "users/..."), (".hidden", "users/.hidden"), ("\u{202E}", "users/%E2%80%AE"), ("\\", "users/%5C"),
  ])
  func `an interpolated value is one encoded segment`(value: String, encoded: String) {
    let path: RequestPath = "/users/\(value)"
    #expect(path.encoded == encoded)
  }

  @Test func `numbers, identifiers and raw values are interpolated as they read`() {
    let id = UUID()
    let path: RequestPath = "a/\(7)/\(id)/\(Shelf.top)-\("x")"
    #expect(path.encoded == "a/7/\(id)/top%20shelf-x")
  }

  @Test(arguments: [
    ("a b", "a%20b"), ("a/b/", "a/b/"), ("/a", "a"), ("a%20b", "a%20b"), ("sub:path", "sub:path"), ("é", "%C3%A9"),
    ("a//b", "a//b"), ("", ""), ("/", ""), ("a;v=1", "a;v=1"), ("a[0]", "a%5B0%5D"), ("a+b", "a+b"),
  ])
  func `literal text is structure`(text: String, encoded: String) {
    #expect(RequestPath(text).encoded == encoded)
  }

  @Test(arguments: [
    ("a?b=1", "query:"), ("a#b", "fragment"), ("a/../b", "\"..\" segment"), ("./a", "\".\" segment"),
    ("a/%2e%2E", "\"%2e%2E\" segment"), ("a/.%2e/b", "segment"), ("https://evil.example/x", "Endpoint(url:)"),
    ("a%zz", "%25"), ("a%2", "%25"), ("a\r\nb", "control character"), ("a\0", "control character"),
  ])
  func `literal text that would leave its place is refused with the remedy`(text: String, remedy: String) async throws {
    let transport = answering(.status(.ok))
    let error = try await apiError { try await makeClient(transport).send(Endpoint<Void>(path: RequestPath(text))) }
    #expect(error.kind == .invalidURL)
    #expect(error.reason.contains(remedy), "\(error.reason)")
    #expect(!error.mayHaveReachedServer)
    #expect(!error.reason.contains("evil.example") && !error.reason.contains("b=1"))
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: ["", ".", ".."])
  func `a value that would make its segment vanish or climb is refused`(value: String) async throws {
    let transport = answering(.status(.ok))
    let request = Endpoint<Void>(.delete, path: "users/\(value)")
    let error = try await apiError { try await makeClient(transport).send(request) }
    #expect(error.kind == .invalidURL)
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: [".", ".."])
  func `dots beside an empty value are still a segment that leaves its place`(_ dots: String) {
    #expect(("users/\("")\(dots)" as RequestPath).problem?.contains("segment") == true)
  }

  @Test func `an empty value beside other text is no segment of its own`() {
    let path: RequestPath = "files/\("")report\("")"
    #expect(path.encoded == "files/report")
  }
}

@Suite struct BaseURLTests {
  @Test(arguments: [
    ("https://h", "a", "https://h/a"), ("https://h/", "a", "https://h/a"), ("https://h/v1", "a", "https://h/v1/a"),
    ("https://h/v1/", "/a", "https://h/v1/a"), ("https://h/v1", "", "https://h/v1"),
    ("https://h/v1/", "/", "https://h/v1/"),
    ("https://h/v1?key=k", "a", "https://h/v1/a?key=k"), ("https://h/v1#f", "a", "https://h/v1/a"),
    ("https://h:8443/a%2Fb", "c%2Fd", "https://h:8443/a%2Fb/c%2Fd"),
    ("https://h/v1", "//evil.example", "https://h/v1//evil.example"),
    ("http://[::1]:80/v1", "a", "http://[::1]:80/v1/a"), ("HTTPS://h", "a", "https://h/a"),
    ("https://h/v1", "sub:path", "https://h/v1/sub:path"),
  ])
  func `a path is appended to the base URL`(base: String, path: String, joined: String) async throws {
    #expect(try await url(base: base, path: RequestPath(path)) == joined)
  }

  @Test func `queries are merged, the base's first`() async throws {
    #expect(try await url(base: "https://h/v1?key=k", path: "a", query: ["b": 2]) == "https://h/v1/a?key=k&b=2")
  }

  @Test func `query items are data`() async throws {
    let missing: String? = nil
    let query: Query = [
      "q": "a+b c&d=e", "page": 2, "ok": true, "tag": "x", "tag": "y", "none": missing, "é": "ü", "e": "",
    ]
    #expect(
      try await url(base: "https://h", path: "s", query: query)
        == "https://h/s?q=a%2Bb%20c%26d%3De&page=2&ok=true&tag=x&tag=y&%C3%A9=%C3%BC&e=")
  }

  @Test(arguments: ["ftp://h/", "file:///etc/passwd", "https:///x", "h/x", "https://user:pass@h/", "https://user@h/"])
  func `a base URL that cannot be asked is refused`(base: String) async throws {
    let error = try await apiError { try await url(base: base, path: "a") }
    #expect(error.kind == .invalidURL)
    #expect(!error.debugDescription.contains("pass@"))
  }

  @Test func `an absolute URL is asked as it is, and gets no default fields on another origin`() async throws {
    let transport = answering(.status(.ok))
    let client = makeClient(transport) { $0.defaultFields = ["X-API-Key": "k"] }
    try await client.send(Endpoint<String>(url: URL(string: "https://other.example/a%2Fb?x=1")!))
    try await client.send(Endpoint<String>(url: URL(string: "https://API.example.com:443/elsewhere")!))
    #expect(transport.requests[0].url.absoluteString == "https://other.example/a%2Fb?x=1")
    #expect(transport.requests[0].fields["X-API-Key"] == nil)
    #expect(transport.requests[1].fields["X-API-Key"] == "k")
  }
}

@Suite struct RequestValidationTests {
  @Test(arguments: [
    ("Transfer-Encoding", "chunked"), ("Connection", "close"), ("Content-Length", "7"), ("Host", "evil.example"),
    ("Upgrade", "h2c"), ("TE", "gzip"), ("Keep-Alive", "1"), ("Proxy-Connection", "close"), ("Trailer", "X"),
  ])
  func `a framing field that contradicts is refused`(name: String, value: String) async throws {
    let transport = answering(.status(.ok))
    var fields: HTTPFields = [:]
    fields[try #require(HTTPField.Name(name))] = value
    let request = Endpoint<Void>(.post, path: "a", fields: fields, body: .text("four"))
    let error = try await apiError { try await makeClient(transport).send(request) }
    #expect(error.kind == .invalidRequest)
    #expect(error.reason.contains(name), "\(error.reason)")
    #expect(transport.requests.isEmpty)
  }

  @Test func `a framing field that agrees is accepted`() async throws {
    let fields: HTTPFields = ["Content-Length": "4", "Host": "API.example.com", "TE": "trailers"]
    let request = Endpoint<Void>(.post, path: "a", fields: fields, body: .text("four"))
    try await makeClient(answering(.status(.ok))).send(request)
  }

  @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\0b"])
  func `a field value that would split the request is refused by name`(value: String) async throws {
    let transport = answering(.status(.ok))
    let error = try await apiError {
      try await makeClient(transport).send(Endpoint<Void>(path: "a", fields: ["X-Name": value]))
    }
    #expect(error == .invalidRequest)
    #expect(error.reason.contains("X-Name"))
    #expect(transport.requests.isEmpty)
  }

  @Test func `CONNECT is refused`() async throws {
    let error = try await apiError {
      try await makeClient(answering(.status(.ok))).send(Endpoint<Void>(.connect, path: "a"))
    }
    #expect(error == .invalidRequest)
  }
}
