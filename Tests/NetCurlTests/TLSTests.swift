import Foundation
import NetCore
import NetCurl
import NetLoopback
import TestSupport
import Testing

@Suite(
  .timeLimit(.minutes(1)), .enabled(if: ChildProcess.isInstalled("openssl") && ChildProcess.isInstalled("python3")))
struct TLSTests {
  private let certificates: Certificates

  init() async throws {
    certificates = try await Certificates(Certificates.Kind.allCases)
  }

  private func transport(
    trusting authority: String? = nil, _ change: (inout CurlTransport.TLS) -> Void = { _ in }
  ) throws -> CurlTransport {
    try CurlTransport.with {
      $0.tls.trustRoots = .file(path: authority ?? certificates.authority)
      change(&$0.tls)
    }
  }

  @Test func `trusts the authority it is given, and measures the handshake`() async throws {
    let server = try await certificates.serve(.good)
    let response = try await transport().whole(HTTPRequest(url: server.url))
    #expect(response.text == "hello ")
    #expect(response.head.info.timings?.tls != nil)
  }

  @Test func `the system's authorities do not trust it`() async throws {
    let server = try await certificates.serve(.good)
    await expect(.untrusted, from: CurlTransport(), server)
  }

  @Test(arguments: [
    (Certificates.Kind.good, true, TransportFailure.TLSProblem.untrusted), (.expired, false, .expired),
    (.otherHost, false, .wrongHost),
  ])
  func `refuses what is wrong`(
    _ kind: Certificates.Kind, isSignedByStranger: Bool, _ problem: TransportFailure.TLSProblem
  ) async throws {
    let server = try await certificates.serve(kind)
    let transport = try transport(trusting: isSignedByStranger ? certificates.stranger : nil)
    await expect(problem, from: transport, server)
    let careless = try self.transport { $0.verification = .dangerouslyDisabled }
    #expect(try await careless.whole(HTTPRequest(url: server.url)).text == "hello ")
  }

  @Test func `a pin is one of several, and holds whatever else is switched off`() async throws {
    let server = try await certificates.serve(.good)
    let (right, wrong) = (try await certificates.pin(.good), try await certificates.pin(.client))
    #expect(try await transport { $0.pins = [wrong, right] }.whole(HTTPRequest(url: server.url)).text == "hello ")
    await expect(.pinMismatch, from: try transport { $0.pins = [wrong] }, server)
    let careless = try transport {
      $0.pins = [wrong]
      $0.verification = .dangerouslyDisabled
    }
    await expect(.pinMismatch, from: careless, server)
  }

  @Test(arguments: ["TLSv1_2", "TLSv1_3"])
  func `shows its certificate to a server that wants one`(_ version: String) async throws {
    let server = try await certificates.serve(.good, wantsClientCertificate: true, maximumVersion: version)
    let known = try transport { [certificates] in
      $0.identity = .init(certificate: certificates.certificate(.client), key: certificates.key(.client))
    }
    #expect(try await known.whole(HTTPRequest(url: server.url)).text == "hello client")
    if version == "TLSv1_2" { return await expect(.clientCertificate, from: try transport(), server) }
    // With TLS 1.3 a client has finished its handshake when the server refuses it (RFC 8446, section 2).
    let error = await #expect(throws: APIError.self) { try await transport().whole(HTTPRequest(url: server.url)) }
    #expect([.transport(.tls(.clientCertificate)), .transport(.connectionLost)].contains(error))
  }

  @Test func `insists on its least version`() async throws {
    let server = try await certificates.serve(.good, maximumVersion: "TLSv1_2")
    #expect(try await transport().whole(HTTPRequest(url: server.url)).text == "hello ")
    await expect(.handshake, from: try transport { $0.minimumVersion = .tls13 }, server)
  }

  @Test func `a server without TLS is no secure connection`() async throws {
    let server = try await LoopbackServer.start { _ in .text("hello") }
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
    let error = await #expect(throws: APIError.self) { try await CurlTransport().whole(HTTPRequest(url: url)) }
    #expect(error == .transport(.tls(.handshake)))
  }

  private func expect(
    _ problem: TransportFailure.TLSProblem, from transport: CurlTransport, _ server: TLSServer,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let request = HTTPRequest(method: .post, url: server.url)
    let error = await #expect(throws: APIError.self, sourceLocation: sourceLocation) {
      try await transport.whole(request)
    }
    #expect(error == .transport(.tls(problem)), sourceLocation: sourceLocation)
    #expect(error?.mayHaveReachedServer == false, sourceLocation: sourceLocation)
  }
}
