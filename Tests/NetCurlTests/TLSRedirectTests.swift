import Foundation
import NetCore
import NetCurl
import NetLoopback
import Synchronization
import TestSupport
import Testing

/// Redirects between https and http.
@Suite(
  .timeLimit(.minutes(1)), .enabled(if: ChildProcess.isInstalled("openssl") && ChildProcess.isInstalled("python3")))
struct TLSRedirectTests {
  private let certificates: Certificates

  init() async throws {
    certificates = try await Certificates([.good])
  }

  private func client(_ baseURL: URL, allowsDowngrade: Bool = false) throws -> HTTPClient {
    var configuration = HTTPClient.Configuration(baseURL: baseURL)
    configuration.redirects.allowsDowngrade = allowsDowngrade
    configuration.authenticator = try APIKeyAuthenticator(key: "secret", field: "X-Key", origins: [baseURL])
    configuration.defaultFields = [
      .authorization: "secret", .cookie: "a=secret", .proxyAuthorization: "secret", "X-API-Key": "secret",
    ]
    let transport = try CurlTransport.with { $0.tls.trustRoots = .file(path: certificates.authority) }
    return HTTPClient(configuration, transport: transport)
  }

  @Test func `https does not fall to http, and nothing arrives there`() async throws {
    try await LoopbackServer.with { _ in
      .text("there")
    } run: { plain in
      let secure = try await certificates.serve(.good, redirectingTo: try plain.url("/x").absoluteString)
      await #expect(throws: APIError.redirect(.downgrade)) {
        try await client(secure.url).send(Endpoint<String>(path: .root))
      }
      #expect(plain.counts.connections == 0)
    }
  }

  @Test func `where it may, no secret arrives in the clear`() async throws {
    let fields = Mutex<HTTPFields>([:])
    try await LoopbackServer.with { request in
      fields.withLock { $0 = request.fields }
      return .text("there")
    } run: { plain in
      let secure = try await certificates.serve(.good, redirectingTo: try plain.url("/x").absoluteString)
      let client = try client(secure.url, allowsDowngrade: true)
      #expect(try await client.send(Endpoint<String>(path: .root)) == "there")
      let arrived = fields.withLock { $0 }
      #expect(Set(arrived.map(\.name)) == [.host, .accept, .acceptEncoding, .userAgent])
    }
  }

  @Test func `http rises to https`() async throws {
    let secure = try await certificates.serve(.good)
    try await LoopbackServer.with { _ in
      LoopbackResponse(status: 301, fields: [.location: secure.url.absoluteString])
    } run: { plain in
      let reply = try await client(plain.baseURL).reply(to: Endpoint<String>(path: "x"))
      #expect(reply.value == "hello ")
      #expect(reply.url == secure.url)
    }
  }
}
