import NetCore
import NetCurl
import NetLoopback
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.timeLimit(.minutes(1)))
struct ConfigurationTests {
  private typealias Change = @Sendable (inout CurlTransport.Configuration) -> Void

  private static let refused: [Change] = [
    { $0.limits.connect = .zero },
    { $0.limits.firstByte = .milliseconds(-1) },
    { $0.limits.idle = .zero },
    { $0.limits.attempt = .zero },
    { $0.connections.perHost = 0 },
    { $0.connections.total = 0 },
    { $0.connections.idleLifetime = .zero },
    { $0.nameCacheLifetime = .seconds(-1) },
    { $0.bufferSize = 1_000 },
    { $0.bufferSize = 1_000_000 },
    { $0.maximumHeadSize = 0 },
    { $0.threads = 0 },
    { $0.unixSocket = "" },
    { $0.decoding?.maximumRatio = 0 },
    { $0.decoding?.maximumSize = 0 },
    { $0.tls.trustRoots = .file(path: "/does/not/exist.pem") },
    { $0.tls.identity = .init(certificate: "/does/not/exist.pem", key: "/does/not/exist.key") },
    { $0.tls.pins = ["sha1/AAAA"] },
    { $0.tls.pins = ["sha256/AAAA"] },
    { $0.proxy = .server(.init(URL(filePath: "/proxy"))) },
    { $0.proxy = .server(.init(URL(filePath: "/proxy"), exceptions: ["a\nb"])) },
  ]

  @Test(arguments: refused.indices)
  func `refuses settings that cannot be meant`(_ index: Int) {
    #expect(throws: APIError.invalidRequest) { try CurlTransport.with(Self.refused[index]) }
  }

  @Test func `an unused transport opens nothing, and shuts down at once`() async {
    await CurlTransport().shutdown()
  }

  @Test func `printing settings shows no secret`() throws {
    var configuration = CurlTransport.Configuration()
    configuration.tls.identity = .init(certificate: "/c", key: "/k", password: "s3cret")
    let proxy = try #require(URL(string: "http://proxy:3128"))
    configuration.proxy = .server(.init(proxy, credentials: .init(user: "us3r", password: "s3cret")))
    let printed = String(describing: configuration) + String(reflecting: configuration)
    #expect(!printed.contains("s3cret"))
    #expect(!printed.contains("us3r"))
  }

  @Test func `a transport says its main settings, and no secret`() throws {
    #expect(
      "\(CurlTransport())"
        == "CurlTransport, HTTP/2 over TLS, TLS 1.2 or later, connect 10 s, first byte 60 s, idle 60 s, "
        + "64 exchanges a host")
    let url = try #require(URL(string: "http://proxy.example:3128"))
    var configuration = CurlTransport.Configuration()
    configuration.httpVersions = .http1
    configuration.limits.connect = .milliseconds(500)
    configuration.limits.idle = nil
    configuration.tls.pins = ["sha256/" + String(repeating: "A", count: 43) + "="]
    configuration.proxy = .server(.init(url, credentials: .init(user: "SECRET", password: "SECRET")))
    #expect(
      try "\(CurlTransport(configuration))"
        == "CurlTransport, HTTP/1.1, TLS 1.2 or later, pinned, proxy proxy.example:3128, "
        + "connect 0.5 s, first byte 60 s, 64 exchanges a host")
  }

  @Test func `after some time without requests everything is closed, until the next`() async throws {
    let server = try await LoopbackServer.start { _ in .text("hello") }
    let transport = try CurlTransport.with { $0.connections.idleLifetime = .milliseconds(20) }
    for round in 1...3 {
      #expect(try await transport.whole(HTTPRequest(url: try server.url())).text == "hello")
      try await server.wait { $0.openConnections == 0 }
      #expect(server.counts.connections == round)
    }
  }

  @Test func `several threads share the work`() async throws {
    let server = try await LoopbackServer.start { _ in .text("hello") }
    let transport = try CurlTransport.with { $0.threads = 3 }
    let url = try server.url()
    try await withThrowingTaskGroup { group in
      for _ in 0..<100 {
        group.addTask {
          let response = try await transport.whole(HTTPRequest(url: url))
          #expect(response.text == "hello")
        }
      }
      try await group.waitForAll()
    }
    #expect(server.counts.connections >= 3)
    await transport.shutdown()
    try await server.wait { $0.openConnections == 0 }
  }

  @Test func `goes through a proxy, but not to the exceptions`() async throws {
    let proxy = try await LoopbackServer.start { request in
      .text("\(request.target) \(request.fields[.proxyAuthorization] ?? "")")
    }
    let server = try await LoopbackServer.start { _ in .text("straight") }
    let transport = try CurlTransport.with {
      $0.proxy = .server(
        .init(proxy.baseURL, credentials: .init(user: "Aladdin", password: "open sesame"), exceptions: ["127.0.0.1"]))
    }
    let url = try #require(URL(string: "http://elsewhere.invalid/path?q"))
    let response = try await transport.whole(HTTPRequest(url: url))
    #expect(response.text == "http://elsewhere.invalid/path?q Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    #expect(try await transport.whole(HTTPRequest(url: try server.url())).text == "straight")
  }

  @Test func `a proxy that opens no tunnel is the proxy's failure`() async throws {
    let proxy = try await LoopbackServer.start { _ in .raw("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n") }
    let transport = try CurlTransport.with { $0.proxy = .server(.init(proxy.baseURL)) }
    let url = try #require(URL(string: "https://elsewhere.invalid/"))
    let error = await #expect(throws: APIError.self) { try await transport.whole(HTTPRequest(url: url)) }
    #expect(error == .transport(.proxy))
    #expect(error?.mayHaveReachedServer == false)
  }

  @Test func `a proxy that cannot be found is the proxy's failure`() async throws {
    let proxy = try #require(URL(string: "http://proxy.invalid:3128"))
    let transport = try CurlTransport.with { $0.proxy = .server(.init(proxy)) }
    let url = try #require(URL(string: "http://elsewhere.invalid/"))
    await #expect(throws: APIError.transport(.proxy)) { try await transport.whole(HTTPRequest(url: url)) }
  }
}
