import Foundation
import NetCore
import NetCurl
import NetLoopback
import NetTesting
import NetURLSession
import Synchronization
import TestSupport
import Testing

/// A transport that redirects are followed over.
private enum Ground: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case curl = "CurlTransport"
  case session = "URLSessionTransport"

  var testDescription: String { rawValue }

  var transport: any HTTPTransport {
    switch self {
    case .curl: CurlTransport()
    case .session: URLSessionTransport()
    }
  }

  func client(
    _ baseURL: URL, _ configure: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) -> HTTPClient {
    var configuration = HTTPClient.Configuration(baseURL: baseURL)
    configuration.timeSource = TestClock().timeSource
    configure(&configuration)
    return HTTPClient(configuration, transport: transport)
  }
}

/// What a server saw of a request.
private struct Sighting: Sendable {
  let method: HTTPRequest.Method
  let target: String
  let fields: HTTPFields
  let body: Data
}

/// Two servers, two origins. `/STATUS?to=URL` redirects there; anything else answers with `there`.
private struct Servers: Sendable {
  let first: LoopbackServer
  let second: LoopbackServer
  let seen: [Sighted]

  /// What one of them saw.
  final class Sighted: Sendable {
    private let sightings = Mutex<[Sighting]>([])

    var all: [Sighting] { sightings.withLock { $0 } }

    @Sendable func answer(_ request: LoopbackRequest) async throws -> LoopbackResponse {
      let body = try await request.body.collect(upTo: 10_000_000)
      let sighting = Sighting(method: request.method, target: request.target, fields: request.fields, body: body)
      sightings.withLock { $0.append(sighting) }
      guard let status = Int(request.path.dropFirst()).flatMap(HTTPResponse.Status.init(code:)) else {
        return .text("there")
      }
      var response = LoopbackResponse.text("gone", status: status)
      response.fields[.location] = request[query: "to"]
      return response
    }
  }

  static func with(_ body: (Servers) async throws -> Void) async throws {
    let seen = [Sighted(), Sighted()]
    try await LoopbackServer.with(handler: seen[0].answer) { first in
      try await LoopbackServer.with(handler: seen[1].answer) { second in
        try await body(Servers(first: first, second: second, seen: seen))
      }
    }
  }

  /// A call to the first server, which is redirected to each of `targets` in turn.
  func chain(
    _ status: Int, _ targets: [String], by method: HTTPRequest.Method = .get, body: RequestBody = .none
  ) -> Endpoint<String> {
    let target = targets.dropLast().reversed().reduce(targets.last ?? "") { to, server in
      "\(server)/\(status)?\(Query([("to", to)]).encoded)"
    }
    return Endpoint(method, path: "\(status)", query: ["to": target], body: body)
  }
}

private let secrets: HTTPFields = [
  .authorization: "Bearer secret", .cookie: "session=secret", .proxyAuthorization: "Basic secret",
  "X-API-Key": "secret",
]

private func names(of sighting: Sighting) -> Set<HTTPField.Name> {
  Set(sighting.fields.map(\.name)).intersection(secrets.map(\.name))
}

/// Bytes that show when some are lost, doubled or out of place.
private let fiveMegabytes: Data = {
  // A prime number of bytes, so that no buffer's size is a multiple of it.
  let block = Data((0..<8_191).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
  return Data((0...5_000_000 / block.count).map { _ in block }.joined()).prefix(5_000_000)
}()

/// Redirects over the wire, by both transports.
@Suite(.timeLimit(.minutes(2))) struct RedirectWireTests {
  @Test(arguments: Ground.allCases, ["127.0.0.1", "localhost"])
  private func `to another port or host no secret arrives, and back at the first origin none either`(
    ground: Ground, host: String
  ) async throws {
    try await Servers.with { servers in
      let isOtherHost = host == "localhost"
      let elsewhere = "http://\(host):\(isOtherHost ? servers.first.port : servers.second.port)"
      let first = servers.first.baseURL.absoluteString
      var call = servers.chain(302, [elsewhere, first, first + "/end"])
      call.fields = secrets
      call.fields["X-Unknown"] = "secret"
      call.fields[.acceptLanguage] = "de"
      let reply = try await ground.client(servers.first.baseURL).reply(to: call)
      #expect(reply.value == "there")
      #expect(reply.url?.absoluteString == first + "/end")
      #expect(reply.info.redirects.count == 3)

      let all =
        isOtherHost
        ? servers.seen[0].all : [servers.seen[0].all[0]] + servers.seen[1].all + servers.seen[0].all.dropFirst()
      #expect(all.count == 4)
      #expect(names(of: all[0]) == Set(secrets.map(\.name)))
      #expect(all[0].fields["X-Unknown"] == "secret")
      for sighting in all.dropFirst() {
        #expect(!"\(sighting.fields.map(\.value))".contains("secret"), "\(sighting.target)")
        #expect(sighting.fields[.acceptLanguage] == "de")
      }
      #expect(all.allSatisfy { !$0.fields.contains("Referer") })
    }
  }

  @Test(arguments: Ground.allCases)
  private func `at the same origin secrets stay`(ground: Ground) async throws {
    try await Servers.with { servers in
      var call = servers.chain(302, ["/end"])
      call.fields = secrets
      try await ground.client(servers.first.baseURL).send(call)
      #expect(servers.seen[0].all.map { names(of: $0).count } == [4, 4])
    }
  }

  @Test(arguments: Ground.allCases)
  private func `credentials of an authenticator stay with its origin, and do not come back`(ground: Ground) async throws
  {
    try await Servers.with { servers in
      let (first, second) = (servers.first.baseURL.absoluteString, servers.second.baseURL.absoluteString)
      let authenticator = try BasicAuthenticator(user: "ann", password: "secret", origins: [servers.first.baseURL])
      let client = ground.client(servers.first.baseURL) { $0.authenticator = authenticator }
      try await client.send(servers.chain(307, [first, second, first + "/end"]))
      #expect(servers.seen[0].all.map { $0.fields.contains(.authorization) } == [true, true, false])
      #expect(servers.seen[1].all.map { $0.fields.contains(.authorization) } == [false])
    }
  }

  @Test(arguments: Ground.allCases, [301, 302, 303, 307, 308])
  private func `a POST is repeated or becomes a GET`(ground: Ground, status: Int) async throws {
    try await Servers.with { servers in
      let second = servers.second.baseURL.absoluteString
      try await ground.client(servers.first.baseURL)
        .send(servers.chain(status, [second + "/end"], by: .post, body: .text("beans")))
      let arrived = try #require(servers.seen[1].all.first)
      #expect(arrived.method == (status < 307 ? .get : .post))
      #expect(arrived.body == Data((status < 307 ? "" : "beans").utf8))
      #expect(arrived.fields[.contentType] == (status < 307 ? nil : "text/plain; charset=utf-8"))
      #expect(arrived.fields[.contentLength] == (status < 307 ? nil : "5"))
    }
  }

  /// URLSession sends no streams.
  @Test(
    arguments: [
      (.curl, "bytes"), (.curl, "file"), (.curl, "stream"), (.session, "bytes"), (.session, "file"),
    ] as [(Ground, String)])
  private func `307 with 5 MB arrives whole`(ground: Ground, kind: String) async throws {
    let folder = try TemporaryFolder()
    let body: HTTPBody =
      switch kind {
      case "bytes": HTTPBody(fiveMegabytes)
      case "file": try HTTPBody(file: URL(filePath: try folder.write(fiveMegabytes, to: "body")))
      default: HTTPBody(isReplayable: true) { chunks() }
      }
    try await Servers.with { servers in
      let second = servers.second.baseURL.absoluteString
      let call = servers.chain(307, [second + "/end"], by: .put, body: .stream(body, contentType: nil))
      let answer = try await ground.client(servers.first.baseURL).send(call)
      #expect(answer == "there")
      #expect(servers.seen.map { $0.all.map { $0.body == fiveMegabytes } } == [[true], [true]])
    }
  }

  @Test func `307 with a body that can be sent once fails, and says why`() async throws {
    try await Servers.with { servers in
      let second = servers.second.baseURL.absoluteString
      let body = HTTPBody(isReplayable: false) { chunks() }
      let call = servers.chain(307, [second + "/end"], by: .post, body: .stream(body, contentType: nil))
      let client = Ground.curl.client(servers.first.baseURL)
      let error = try await #require(throws: APIError.self) { try await client.send(call) }
      #expect(error.kind == .redirect(.bodySentOnce))
      #expect(error.status == 307)
      #expect(error.reason.contains("this body can be sent only once: give one of bytes, of a file or"))
      #expect(servers.seen[0].all.first?.body == fiveMegabytes)
      #expect(servers.seen[1].all.isEmpty)
    }
  }

  @Test(arguments: Ground.allCases)
  private func `a server that redirects without end is left after 20`(ground: Ground) async throws {
    let requests = Mutex(0)
    try await LoopbackServer.with { _ in
      let number = requests.withLock { requests in
        requests += 1
        return requests
      }
      return LoopbackResponse(status: 302, fields: [.location: "/\(number)"])
    } run: { server in
      await #expect(throws: APIError.redirect(.tooMany)) {
        try await ground.client(server.baseURL).send(Endpoint<String>(path: "0"))
      }
    }
    #expect(requests.withLock { $0 } == 21)
  }

  @Test(arguments: Ground.allCases)
  private func `a circle is left when it closes`(ground: Ground) async throws {
    try await LoopbackServer.with { request in
      LoopbackResponse(status: 302, fields: [.location: request.path == "/a" ? "/b" : "/a"])
    } run: { server in
      await #expect(throws: APIError.redirect(.loop)) {
        try await ground.client(server.baseURL).send(Endpoint<String>(path: "a"))
      }
      #expect(server.counts.requests == 2)
    }
  }

  @Test(arguments: Ground.allCases, [true, false])
  private func `with a limit of one exchange at a time redirects finish`(ground: Ground, isStreaming: Bool) async throws
  {
    try await Servers.with { servers in
      let (first, second) = (servers.first.baseURL.absoluteString, servers.second.baseURL.absoluteString)
      let client = ground.client(servers.first.baseURL) {
        $0.concurrencyLimit = ConcurrencyLimit(perHost: 1, total: 1, queue: 0)
      }
      let call = servers.chain(302, [first, second, first + "/end"])
      let answer =
        isStreaming ? try await client.open(call).body.collect(upTo: 100) : Data(try await client.send(call).utf8)
      #expect(answer == Data("there".utf8))
    }
  }

  @Test func `over one connection a redirect whose body never ends is followed`() async throws {
    var settings = CurlTransport.Configuration()
    settings.connections.perHost = 1
    settings.connections.total = 1
    let transport = try CurlTransport(settings)
    try await LoopbackServer.with { request in
      request.path == "/a"
        ? .raw([.send("HTTP/1.1 302 \r\nLocation: /b\r\nContent-Length: 99\r\n\r\npart"), .waitForClientToLeave])
        : .text("there")
    } run: { server in
      let client = HTTPClient(baseURL: server.baseURL, transport: transport)
      let response = try await client.open(Endpoint<String>(path: "a"))
      #expect(try await response.body.collect(upTo: 100) == Data("there".utf8))
    }
  }

  @Test(.enabled(if: ChildProcess.isInstalled("python3")), arguments: Ground.allCases)
  private func `follows what Python's file server says of a folder`(ground: Ground) async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(at: folder.url.appending(path: "a b"), withIntermediateDirectories: false)
    try folder.write("the index", to: "a b/index.html")
    let script = """
      import functools, http.server, sys
      handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
      server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
      print(server.server_port, flush=True)
      server.serve_forever()
      """
    let process = try ChildProcess(["python3", "-c", script, folder.url.path], output: .lines)
    let port = try #require(Int(await process.nextLine() ?? ""), "the server did not start")
    let client = ground.client(try #require(URL(string: "http://127.0.0.1:\(port)")))
    let reply = try await client.reply(to: Endpoint<String>(path: "\("a b")", query: ["x": "1"]))
    #expect(reply.value == "the index")
    #expect(reply.url?.absoluteString == "http://127.0.0.1:\(port)/a%20b/?x=1")
    #expect(reply.info.redirects.map(\.status) == [301])
  }
}

/// The five megabytes in pieces.
private func chunks() -> AsyncStream<Data> {
  AsyncStream { stream in
    for start in stride(from: 0, to: fiveMegabytes.count, by: 100_000) {
      stream.yield(fiveMegabytes[start..<(start + 100_000)])
    }
    stream.finish()
  }
}
