import Foundation
import NetTesting
import Testing

@testable import NetCore

private let tokenURL = URL(string: "https://id.example.com/oauth/token")!

@Suite(.timeLimit(.minutes(1))) struct AuthenticationOAuthTests {
  private let clock = TestClock()
  private let old = BearerCredentials(accessToken: "a1", refreshToken: "r 1&", account: "ann")

  private func grant(
    _ transport: ClosureTransport, client: OAuthClient = OAuthClient(id: "app"), scope: String? = nil
  ) -> RefreshTokenGrant {
    // A client with settings that do not suit a token endpoint: the grant does not depend on them.
    let network = makeClient(transport) { $0.coders = .json(keys: .snakeCase, keyPath: "data") }
    return RefreshTokenGrant(
      tokenURL: tokenURL, client: client, scope: scope, network: network, timeSource: clock.timeSource)
  }

  @Test(
    arguments: [
      (OAuthClient(id: "app"), nil, "grant_type=refresh_token&refresh_token=r+1%26&client_id=app"),
      (
        OAuthClient(id: "app", secret: "s:e c"), "Basic YXBwOnMlM0FlK2M=",
        "grant_type=refresh_token&refresh_token=r+1%26"
      ),
      (
        OAuthClient(id: "app", secret: "s", authentication: .body), nil,
        "grant_type=refresh_token&refresh_token=r+1%26&client_id=app&client_secret=s"
      ),
    ] as [(OAuthClient, String?, String)])
  func `a refresh is asked for as RFC 6749 says`(client: OAuthClient, authorization: String?, body: String) async throws
  {
    let transport = answering(.json(#"{"access_token": "a2", "token_type": "Bearer"}"#))
    _ = try await grant(transport, client: client).renew(old)
    let request = try #require(transport.requests.first)
    #expect(request.method == .post)
    #expect(request.url == tokenURL)
    #expect(request.fields[.authorization] == authorization)
    #expect(request.fields[.contentType] == "application/x-www-form-urlencoded")
    #expect(request.fields[.accept] == "application/json")
    #expect(request.text == body)
  }

  @Test func `client credentials are asked for as RFC 6749 says`() async throws {
    let transport = answering(.json(#"{"access_token": "a", "token_type": "bearer"}"#))
    let grant = ClientCredentialsGrant(
      tokenURL: tokenURL, client: OAuthClient(id: "service", secret: "s"), scope: "read write",
      network: makeClient(transport), timeSource: clock.timeSource)
    #expect(try await grant.renew(nil).accessToken == "a")
    #expect(transport.requests[0].text == "grant_type=client_credentials&scope=read+write")
    #expect(transport.requests[0].fields[.authorization] == "Basic c2VydmljZTpz")
  }

  @Test(
    arguments: [
      (#"{"access_token":"a2","token_type":"Bearer","expires_in":3600,"refresh_token":"r2"}"#, "r2", 3600),
      (#"{"access_token":"a2","token_type":"bearer","expires_in":"60"}"#, nil, 60),
      (#"{"access_token":"a2","expires_in":0.5,"refresh_token":""}"#, nil, 0.5),
      (#"{"access_token":"a2","expires_in":null,"refresh_token":null}"#, nil, nil),
      (#"{"access_token":"a2","expires_in":-1}"#, nil, nil), (#"{"access_token":"a2","expires_in":"soon"}"#, nil, nil),
      (#"{"access_token":"a2","expires_in":"nan"}"#, nil, nil),
      (#"{"access_token":"a2","expires_in":1e300}"#, nil, nil),
      (#"{"access_token":"a2","expires_in":{}}"#, nil, nil),
    ] as [(String, String?, TimeInterval?)])
  func `answers are understood`(body: String, refreshToken: String?, lifetime: TimeInterval?) async throws {
    let renewed = try await grant(answering(.json(body))).renew(old)
    #expect(renewed.accessToken == "a2")
    #expect(renewed.refreshToken == refreshToken)
    #expect(renewed.expiry == lifetime.map { clock.timeSource.now.addingTimeInterval($0) })
  }

  @Test(
    arguments: [
      (400, #"{"error":"invalid_grant","error_description":"token r1 expired"}"#, .unauthorized),
      (401, #"{"error":"invalid_grant"}"#, .unauthorized),
      (401, #"{"error":"invalid_client"}"#, .otherStatus(401)), (401, "", .otherStatus(401)),
      (400, #"{"error":"invalid_request"}"#, .otherStatus(400)), (400, "<html>", .otherStatus(400)),
      (503, #"{"error":"temporarily_unavailable"}"#, .serverError(503)), (429, "{}", .rateLimited),
      (200, "", .noData), (200, "{}", .decoding), (200, #"{"access_token":""}"#, .decoding),
      (200, #"{"access_token":"a2","token_type":"mac"}"#, .decoding), (200, "[]", .decoding),
    ] as [(HTTPResponse.Status, String, APIError.Kind)])
  func `failures are understood: only invalid_grant signs out`(
    status: HTTPResponse.Status, body: String, kind: APIError.Kind
  ) async throws {
    let error = try await apiError { try await grant(answering(.json(body, status: status))).renew(old) }
    #expect(error.kind == kind)
    #expect(!error.description.contains("r1"))
    #expect(!error.debugDescription.contains("r1"))
  }

  @Test func `without a refresh token nothing is asked`() async throws {
    let transport = answering(.status(.ok))
    let error = try await apiError { try await grant(transport).renew(BearerCredentials(accessToken: "a")) }
    #expect(error == .unauthorized)
    #expect(transport.requests.isEmpty)
  }

  /// A whole exchange: the resource server takes `a2` only.
  private func server(_ tokenAnswer: HTTPResponse) -> ClosureTransport {
    ClosureTransport { request in
      if request.url == tokenURL { return tokenAnswer }
      return request.fields[.authorization] == "Bearer a2" ? .text("ok") : .status(.unauthorized)
    }
  }

  private func client(
    _ transport: ClosureTransport, _ store: MemoryCredentialStore, grant: (HTTPClient) -> any TokenGrant
  ) -> HTTPClient {
    var settings = BearerAuthenticator.Settings()
    settings.timeSource = clock.timeSource
    let authenticator = BearerAuthenticator(
      store: store, origins: [exampleURL], settings: settings, grant: grant(makeClient(transport)))
    return makeClient(transport) { $0.authenticator = authenticator }
  }

  @Test(arguments: [nil, "r2"] as [String?])
  func `a new refresh token replaces the old one, and none keeps it`(rotated: String?) async throws {
    let rotation = rotated.map { #","refresh_token":"\#($0)""# } ?? ""
    let store = MemoryCredentialStore(old)
    let client = client(server(.json(#"{"access_token":"a2"\#(rotation)}"#)), store) { network in
      RefreshTokenGrant(tokenURL: tokenURL, client: OAuthClient(id: "app"), network: network)
    }
    #expect(try await client.send(Endpoint<String>(path: "a")) == "ok")
    #expect(store.load()?.refreshToken == rotated ?? "r 1&")
    #expect(store.load()?.account == "ann")
  }

  @Test func `a service gets its first token by itself, and keeps it`() async throws {
    let store = MemoryCredentialStore()
    let transport = server(.json(#"{"access_token":"a2"}"#))
    let client = client(transport, store) { network in
      ClientCredentialsGrant(tokenURL: tokenURL, client: OAuthClient(id: "service", secret: "s"), network: network)
    }
    for _ in 1...3 { #expect(try await client.send(Endpoint<String>(path: "a")) == "ok") }
    #expect(transport.requests.count == 4)
    #expect(store.load()?.account == "service")
  }

  @Test func `a service that is refused does not ask again at once`() async throws {
    let transport = server(.json(#"{"error":"invalid_grant"}"#, status: 400))
    let client = client(transport, MemoryCredentialStore()) { network in
      ClientCredentialsGrant(tokenURL: tokenURL, client: OAuthClient(id: "service", secret: "s"), network: network)
    }
    for _ in 1...3 {
      await #expect(throws: APIError.unauthorized) { try await client.send(Endpoint<String>(path: "a")) }
    }
    #expect(transport.requests.count == 1)
  }
}
