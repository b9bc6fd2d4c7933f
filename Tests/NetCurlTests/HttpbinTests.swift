import Foundation
import NetCore
import NetCurl
import TestSupport
import Testing

/// httpbin, which nobody here wrote, on the WSGI server that comes with it.
@Suite(
  .timeLimit(.minutes(1)), .enabled("httpbin is not there: Tools/setup --tests gets it", { PythonTools.python != nil }))
struct HttpbinTests {
  private let transport = CurlTransport()

  private struct Echo: Decodable {
    let args: [String: String]
    let headers: [String: String]
    let data: String?
    let form: [String: String]?
    let files: [String: String]?
    let json: [String: [Int]]?
  }

  private static let queries = [("a", "1"), ("name", "Ada & Bob"), ("text", "naïve €")]

  @Test func `echoes a query`() async throws {
    let server = try await Httpbin()
    var url = try #require(URLComponents(url: server.url("get"), resolvingAgainstBaseURL: false))
    url.queryItems = Self.queries.map { URLQueryItem(name: $0, value: $1) }
    let echo: Echo = try await json(HTTPRequest(url: try #require(url.url)))
    #expect(echo.args == Dictionary(uniqueKeysWithValues: Self.queries))
  }

  @Test func `echoes fields, and those that came twice in order`() async throws {
    let server = try await Httpbin()
    var request = HTTPRequest(url: try server.url("headers"))
    request.fields = ["X-One": "1", "X-Two": "a", "X-Empty": ""]
    request.fields.append("X-Two", "b")
    let echo: [String: [String: String]] = try await json(request)
    let fields = try #require(echo["headers"])
    #expect(fields["X-One"] == "1")
    #expect(fields["X-Two"] == "a,b")
    #expect(fields["X-Empty"] == "")
    #expect(fields["Accept-Encoding"] == "gzip, deflate")
    #expect(fields["Host"] == "127.0.0.1:\(server.port)")
  }

  @Test(arguments: ["post", "put", "patch"])
  func `sends JSON`(_ path: String) async throws {
    let server = try await Httpbin()
    var request = HTTPRequest(method: HTTPRequest.Method(path.uppercased())!, url: try server.url(path))
    request.fields[.contentType] = "application/json"
    request.body = HTTPBody(Data(#"{"numbers": [1, 2, 3]}"#.utf8))
    let echo: Echo = try await json(request)
    #expect(echo.json == ["numbers": [1, 2, 3]])
    #expect(echo.headers["Content-Length"] == "22")
  }

  @Test func `sends a form`() async throws {
    let server = try await Httpbin()
    var request = HTTPRequest(method: .post, url: try server.url("post"))
    request.fields[.contentType] = "application/x-www-form-urlencoded"
    request.body = HTTPBody(Data("a=1&name=Ada+%26+Bob".utf8))
    let echo: Echo = try await json(request)
    #expect(echo.form == ["a": "1", "name": "Ada & Bob"])
  }

  @Test func `sends a form with files`() async throws {
    let server = try await Httpbin()
    let folder = try TemporaryFolder()
    var form = MultipartForm()
    form.append("name", "Ada & Bob")
    form.append("naïve", "€\r\n")
    try form.append("file", file: URL(filePath: try folder.write("text", to: "a.txt")))
    form.append("large", bytes: Data(repeating: UInt8(ascii: "x"), count: 300_000), filename: "large.txt")
    var request = HTTPRequest(method: .post, url: try server.url("post"))
    request.fields[.contentType] = form.contentType
    request.body = try form.makeBody()
    let echo: Echo = try await json(request)
    #expect(echo.form == ["name": "Ada & Bob", "naïve": "€\r\n"])
    #expect(echo.files == ["file": "text", "large": String(repeating: "x", count: 300_000)])
    #expect(echo.headers["Content-Length"] == request.body.length.map { "\($0)" })
  }

  @Test func `brings every status`() async throws {
    let server = try await Httpbin()
    for status in [200, 201, 204, 301, 304, 400, 401, 404, 418, 429, 500, 503] {
      let response = try await transport.whole(HTTPRequest(url: try server.url("status/\(status)")))
      #expect(response.head.status.code == status)
    }
  }

  @Test(arguments: ["gzip", "deflate"], Delivery.allCases)
  func `decodes`(_ coding: String, _ delivery: Delivery) async throws {
    let server = try await Httpbin()
    let response = try await transport.whole(HTTPRequest(url: try server.url(coding)), delivery)
    #expect(response.head.fields[.contentEncoding] == nil)
    #expect(response.text.contains(coding == "gzip" ? #""gzipped": true"# : #""deflated": true"#))
  }

  @Test func `follows no redirect`() async throws {
    let server = try await Httpbin()
    let response = try await transport.whole(HTTPRequest(url: try server.url("redirect/2")))
    #expect(response.head.status == .found)
    #expect(response.head.fields[.location] == "/relative-redirect/1")
  }

  @Test(arguments: [
    ("redirect/5", 5), ("relative-redirect/3", 3), ("absolute-redirect/3", 3),
    ("redirect-to?url=/get&status_code=301", 1),
    ("redirect-to?url=..%2Fx%2F..%2Fget%3Fa=1%23part&status_code=307", 1),
  ])
  func `a client follows redirects`(_ path: String, _ count: Int) async throws {
    let server = try await Httpbin()
    let client = HTTPClient(baseURL: try server.url(""), transport: transport)
    let reply = try await client.reply(to: Endpoint<Echo>(url: try server.url(path)))
    #expect(reply.info.redirects.count == count)
    #expect(reply.url?.path() == "/get")
    #expect(reply.value.args == (reply.url?.query() == nil ? [:] : ["a": "1"]))
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func `a client repeats a POST or gets its answer`(_ status: Int) async throws {
    let server = try await Httpbin()
    let target = status < 307 ? "get" : "post"
    let client = HTTPClient(baseURL: try server.url(""), transport: transport)
    let echo = try await client.send(
      Endpoint<Echo>(
        .post, path: "redirect-to", query: ["url": "/\(target)", "status_code": status], body: .text("beans")))
    #expect(echo.data == (status < 307 ? nil : "beans"))
    #expect(echo.headers["Content-Type"] == (status < 307 ? nil : "text/plain; charset=utf-8"))
  }

  @Test func `answers no challenge by itself`() async throws {
    let server = try await Httpbin()
    var request = HTTPRequest(url: try server.url("basic-auth/user/secret"))
    let refusal = try await transport.whole(request)
    #expect(refusal.head.status == .unauthorized)
    #expect(refusal.head.fields["WWW-Authenticate"] == #"Basic realm="Fake Realm""#)
    request.fields[.authorization] = "Basic \(Data("user:secret".utf8).base64EncodedString())"
    #expect(try await transport.whole(request).head.status == .ok)
  }

  @Test func `keeps no cookie`() async throws {
    let server = try await Httpbin()
    let response = try await transport.whole(HTTPRequest(url: try server.url("cookies/set?flavor=oat")))
    #expect(response.head.fields["Set-Cookie"] == "flavor=oat; Path=/")
    let kept: [String: [String: String]] = try await json(HTTPRequest(url: try server.url("cookies")))
    #expect(kept == ["cookies": [:]])
  }

  @Test func `a jar brings cookies back, until the server takes them away`() async throws {
    let server = try await Httpbin()
    var configuration = HTTPClient.Configuration(baseURL: try server.url(""))
    configuration.cookies = CookieJar()
    let client = HTTPClient(configuration, transport: transport)
    let cookies = Endpoint<[String: [String: String]]>(path: "cookies")
    // Both answer with a redirect, whose cookies count whether it is followed or not.
    try await client.open(Endpoint<Void>(path: "cookies/set", query: ["flavor": "oat", "size": "x l"])).body.discard()
    #expect(try await client.send(cookies) == ["cookies": ["flavor": "oat", "size": "x l"]])
    try await client.open(Endpoint<Void>(path: "cookies/delete", query: ["flavor": ""])).body.discard()
    #expect(try await client.send(cookies) == ["cookies": ["size": "x l"]])
  }

  @Test(arguments: Delivery.allCases)
  func `reads a body that drips`(_ delivery: Delivery) async throws {
    let server = try await Httpbin()
    let url = try server.url("drip?numbytes=20&duration=0.2&delay=0")
    let response = try await transport.whole(HTTPRequest(url: url), delivery)
    #expect(response.body == Data(repeating: UInt8(ascii: "*"), count: 20))
  }

  @Test(arguments: Delivery.allCases)
  func `reads a body whose length nobody announced`(_ delivery: Delivery) async throws {
    let server = try await Httpbin()
    let request = HTTPRequest(url: try server.url("stream-bytes/100000?seed=7&chunk_size=999"))
    let first = try await transport.whole(request, delivery)
    #expect(first.head.fields[.contentLength] == nil)
    #expect(first.body.count == 100_000)
    #expect(try await transport.whole(request, delivery).body == first.body)
  }

  @Test func `a caller that does not wait is let go at once`() async throws {
    let server = try await Httpbin()
    let request = HTTPRequest(url: try server.url("delay/10"))
    let task = Task { try await transport.whole(request) }
    // By the time that this is answered, the other is under way or has not begun: it ends in either case.
    _ = try await transport.whole(HTTPRequest(url: try server.url("status/200")))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  private func json<Value: Decodable>(_ request: HTTPRequest) async throws -> Value {
    try JSONDecoder().decode(Value.self, from: try await transport.whole(request, .collected).body)
  }
}

/// A running httpbin. Speaks HTTP/1.1 with chunks, one connection a request.
private struct Httpbin {
  let port: Int
  private let process: ChildProcess

  init() async throws {
    process = try ChildProcess([try #require(PythonTools.python), "-c", Self.script], output: .lines)
    port = try #require(Int(await process.nextLine() ?? ""), "httpbin did not start")
  }

  func url(_ path: String) throws -> URL {
    try #require(URL(string: "http://127.0.0.1:\(port)/\(path)"))
  }

  private static let script = """
    from werkzeug.serving import WSGIRequestHandler, make_server
    from httpbin import app
    WSGIRequestHandler.protocol_version = "HTTP/1.1"
    server = make_server("127.0.0.1", 0, app, threaded=True)
    print(server.server_port, flush=True)
    server.serve_forever()
    """
}
