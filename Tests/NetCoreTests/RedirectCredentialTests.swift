import Foundation
import NetTesting
import Testing

@testable import NetCore

/// A chain of hosts, each of which redirects to the next, and who of them is to get the client's credentials.
private struct Chain: Sendable, CustomTestStringConvertible {
  let origins: [String]
  let declared: [String]
  let signed: [Bool]

  init(_ origins: String..., declared: [String], signed: [Bool]) {
    (self.origins, self.declared, self.signed) = (origins, declared, signed)
  }

  var testDescription: String { origins.joined(separator: " → ") + ", declared: \(declared.joined(separator: ", "))" }

  /// The hosts: each request of the chain is to `/0`, `/1` and so on.
  var transport: ClosureTransport {
    ClosureTransport { [origins] request in
      let number = try #require(Int(request.path.dropFirst()))
      guard number + 1 < origins.count else { return .text("there") }
      return .status(302, fields: [.location: "\(origins[number + 1])/\(number + 1)"])
    }
  }

  /// Sends a call down the chain.
  func run(_ configure: (inout HTTPClient.Configuration) throws -> Void) async throws -> [RecordedRequest] {
    let transport = transport
    var configuration = HTTPClient.Configuration(baseURL: try #require(URL(string: origins[0])))
    configuration.timeSource = TestClock().timeSource
    configuration.redirects.allowsDowngrade = true
    try configure(&configuration)
    try await HTTPClient(configuration, transport: transport).send(Endpoint<String>(path: "0"))
    return transport.requests
  }
}

/// Which requests of a chain an authenticator signs.
@Suite(.timeLimit(.minutes(1))) struct RedirectCredentialTests {
  @Test(
    arguments: [
      Chain("https://a", "https://a", declared: ["https://a"], signed: [true, true]),
      Chain("https://a", "https://b", declared: ["https://a"], signed: [true, false]),
      Chain("https://a", "https://a:8443", declared: ["https://a"], signed: [true, false]),
      Chain("https://a", "https://b", declared: ["https://a", "https://b"], signed: [true, true]),
      // Back from a server that is not declared: it must not choose what is asked for with credentials.
      Chain("https://a", "https://b", "https://a", declared: ["https://a"], signed: [true, false, false]),
      Chain(
        "https://a", "https://b", "https://a", declared: ["https://a", "https://b"], signed: [true, true, true]),
      Chain("https://x", "https://a", declared: ["https://a"], signed: [false, false]),
      // In the clear, and after it.
      Chain(
        "https://a", "http://a", "https://a", declared: ["https://a", "http://a"], signed: [true, false, false]),
    ])
  private func `declared origins get credentials until another server was asked`(chain: Chain) async throws {
    let requests = try await chain.run { configuration in
      configuration.authenticator = try BasicAuthenticator(
        user: "ann", password: "secret", origins: chain.declared.compactMap { URL(string: $0) })
    }
    #expect(requests.map { $0.fields.contains(.authorization) } == chain.signed)
  }

  @Test func `a key in a field of its own goes no further either`() async throws {
    let chain = Chain("https://a", "https://b", "https://a", declared: [], signed: [])
    let requests = try await chain.run { configuration in
      configuration.authenticator = try APIKeyAuthenticator(
        key: "secret", field: "X-Odd", origins: [configuration.baseURL])
    }
    #expect(requests.map { $0.fields["X-Odd"] } == ["secret", nil, nil])
  }

  @Test func `another account's credentials do not take over in a chain`() async throws {
    struct AccountOfHost: Authenticator {
      func scope(for request: HTTPRequest) -> CredentialScope? { request.url.host().map { CredentialScope($0) } }

      func sign(_ request: HTTPRequest, context: RequestContext) -> HTTPRequest {
        var request = request
        request.fields[.authorization] = context.credentialScope?.name
        return request
      }
    }
    let chain = Chain("https://a", "https://b", "https://b", declared: [], signed: [])
    let requests = try await chain.run { $0.authenticator = AccountOfHost() }
    #expect(requests.map { $0.fields[.authorization] } == ["a", nil, nil])
  }

  @Test func `a caller's own credentials are not replaced by the authenticator's where they are dropped`() async throws
  {
    let chain = Chain("https://a", "https://b", "https://a", declared: [], signed: [])
    let requests = try await chain.run { configuration in
      configuration.defaultFields = [.authorization: "own"]
      configuration.authenticator = try BasicAuthenticator(
        user: "ann", password: "secret", origins: ["https://a", "https://b"].compactMap { URL(string: $0) })
    }
    #expect(requests.map { $0.fields[.authorization] } == ["own", nil, nil])
  }

  @Test func `stages below know whose each request is`() async throws {
    let chain = Chain("https://a", "https://a", "https://b", declared: [], signed: [])
    let requests = try await chain.run { configuration in
      configuration.authenticator = try BasicAuthenticator(
        user: "ann", password: "secret", origins: [configuration.baseURL])
      configuration.attemptMiddlewares = [
        .intercepting { request, context, next in
          var request = request
          request.fields["X-Scope"] = context.credentialScope?.name
          return try await next.send(request, context: context)
        }
      ]
    }
    #expect(requests.map { $0.fields["X-Scope"]?.prefix(9) } == ["Basic ann", "Basic ann", nil])
  }
}
