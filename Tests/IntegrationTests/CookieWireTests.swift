import Foundation
import NetCore
import NetCurl
import NetLoopback
import NetTesting
import NetURLSession
import Testing

/// A transport, by name.
private struct Wire: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let transport: @Sendable () -> any HTTPTransport

  static let all = [
    Wire(testDescription: "CurlTransport") { CurlTransport() },
    Wire(testDescription: "URLSessionTransport") { URLSessionTransport() },
  ]
}

/// A jar over real transports: cookies go over a real wire, and transports keep none of their own.
@Suite(.timeLimit(.minutes(1))) struct CookieWireTests {
  /// Signs in at `login`, is busy once, refuses once, and tells the cookies it got.
  @Sendable private static func answer(_ request: LoopbackRequest) async throws -> LoopbackResponse {
    let cookies = request.fields[values: .cookie]
    switch request.path {
    case "/login":
      return LoopbackResponse(fields: [
        .setCookie: "sid=1; Path=/; HttpOnly; Secure", .setCookie: "theme=dark; Expires=Wed, 21 Oct 2065 07:28:00 GMT",
        .setCookie: "deep=1; Path=/echo/deep",
      ])
    case "/busy" where cookies == []:
      return LoopbackResponse(status: 503, fields: [.setCookie: "seen=1; Path=/busy"])
    default:
      return .text(cookies.joined(separator: " | "))
    }
  }

  private func client(_ wire: Wire, _ server: LoopbackServer, _ jar: CookieJar?) -> HTTPClient {
    var configuration = HTTPClient.Configuration(baseURL: server.baseURL)
    configuration.cookies = jar
    configuration.retry = .standard
    configuration.retry.backoff = .none
    return HTTPClient(configuration, transport: wire.transport())
  }

  @Test(arguments: Wire.all) private func `cookies come back, each where it belongs`(wire: Wire) async throws {
    try await LoopbackServer.with(handler: Self.answer) { server in
      let jar = CookieJar()
      let client = client(wire, server, jar)
      try await client.send(Endpoint<Void>(.post, path: "login"))
      #expect(try await client.send(Endpoint<String>(path: "echo")) == "sid=1; theme=dark")
      #expect(try await client.send(Endpoint<String>(path: "echo/deep")) == "deep=1; sid=1; theme=dark")
      #expect(try await client.send(Endpoint<String>(path: "echo", fields: [.cookie: "mine=1"])) == "mine=1")
      try await jar.removeAll()
      #expect(try await client.send(Endpoint<String>(path: "echo")) == "")
    }
  }

  @Test(arguments: Wire.all) private func `a repetition carries what the refusal before it set`(wire: Wire) async throws
  {
    try await LoopbackServer.with(handler: Self.answer) { server in
      let reply = try await client(wire, server, CookieJar()).reply(to: Endpoint<String>(path: "busy"))
      #expect(reply.value == "seen=1")
      #expect(reply.info.attempts == 2)
    }
  }

  @Test(arguments: Wire.all) private func `without a jar no cookie is kept`(wire: Wire) async throws {
    try await LoopbackServer.with(handler: Self.answer) { server in
      let client = client(wire, server, nil)
      try await client.send(Endpoint<Void>(.post, path: "login"))
      #expect(try await client.send(Endpoint<String>(path: "echo")) == "")
    }
  }
}
