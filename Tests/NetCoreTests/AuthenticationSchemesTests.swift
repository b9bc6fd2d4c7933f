import Foundation
import NetTesting
import Testing

@testable import NetCore

@Suite struct AuthenticationSchemesTests {
  @Test(arguments: [
    ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123\u{A3}", "Basic dGVzdDoxMjPCow=="),
    ("", "", "Basic Og=="), ("a", "b:c", "Basic YTpiOmM="),
  ])
  func `Basic is RFC 7617's, in UTF-8`(user: String, password: String, authorization: String) async throws {
    let transport = answering(.text("ok"))
    let authenticator = try BasicAuthenticator(user: user, password: password, origins: [exampleURL])
    let client = makeClient(transport) { $0.authenticator = authenticator }
    try await client.send(Endpoint<Void>(path: "a"))
    #expect(transport.requests[0].fields[.authorization] == authorization)
  }

  @Test(arguments: [("an:n", "x"), ("ann\n", "x"), ("ann", "x\u{0}"), ("ann", "\u{7F}")])
  func `Basic refuses what RFC 7617 does`(user: String, password: String) {
    #expect(throws: APIError.invalidRequest) {
      try BasicAuthenticator(user: user, password: password, origins: [exampleURL])
    }
  }

  @Test(arguments: ["", "a\r\nX: y", "a\u{0}"])
  func `a key that is no field's value is refused`(key: String) {
    #expect(throws: APIError.invalidRequest) { try APIKeyAuthenticator(key: key, origins: [exampleURL]) }
  }

  @Test func `a key stands in its field, for declared origins only`() async throws {
    let transport = answering(.text("ok"))
    let authenticator = try APIKeyAuthenticator(key: "k", field: "X-Key", origins: [exampleURL])
    let client = makeClient(transport) { $0.authenticator = authenticator }
    try await client.send(Endpoint<Void>(path: "a"))
    try await client.send(Endpoint<Void>(path: "a", fields: ["X-Key": "mine", .authorization: "Bearer x"]))
    _ = try await client.send(Endpoint(url: try #require(URL(string: "http://api.example.com"))), as: String.self)
    #expect(transport.requests.map { $0.fields["X-Key"] } == ["k", "mine", nil])
  }

  @Test func `a user with another password is another account, and its name tells no password`() throws {
    func scope(_ user: String, _ password: String) throws -> CredentialScope? {
      let authenticator = try BasicAuthenticator(user: user, password: password, origins: [exampleURL])
      return authenticator.scope(for: HTTPRequest(url: exampleURL))
    }
    #expect(try scope("ann", "secret-a") == scope("ann", "secret-a"))
    #expect(try Set([scope("ann", "secret-a"), scope("ann", "secret-b"), scope("ben", "secret-a")]).count == 3)
    #expect(try scope("ann", "secret-a")?.name.contains("secret") == false)
  }

  @Test func `a request with a key of its own has a scope of its own, whose name tells no key`() throws {
    let authenticator = try APIKeyAuthenticator(key: "k", origins: [exampleURL], account: "ann")
    func scope(_ key: String) -> CredentialScope? {
      authenticator.scope(for: HTTPRequest(url: exampleURL, fields: ["X-API-Key": key]))
    }
    #expect(scope("secret-a") == scope("secret-a"))
    #expect(Set([scope("secret-a"), scope("secret-b"), CredentialScope("ann"), nil]).count == 4)
    #expect(scope("k") == CredentialScope("ann"))
    #expect(scope("secret-a")?.name.contains("secret") == false)
  }

  @Test func `a 401 to credentials that do not change is the answer, with its body`() async throws {
    let transport = answering(.json(#"{"message": "wrong password"}"#, status: 401))
    let authenticator = try BasicAuthenticator(user: "ann", password: "x", origins: [exampleURL])
    let client = makeClient(transport) { $0.authenticator = authenticator }
    let error = try await apiError { try await client.send(Endpoint<Void>(path: "a")) }
    #expect(error.serverMessage?.text == "wrong password")
    #expect(transport.requests.count == 1)
  }

  @Test func `two keys are two scopes unless they are said to be one account's`() throws {
    let request = HTTPRequest(url: exampleURL)
    let scopes = try [nil, nil, "ann", "ann"].map {
      try APIKeyAuthenticator(key: "k", origins: [exampleURL], account: $0).scope(for: request)
    }
    #expect(Set(scopes).count == 3)
  }

  @Test func `no description shows a secret`() async throws {
    let credentials = BearerCredentials(accessToken: "s3cret", refreshToken: "s3cret", account: "ann")
    let store = MemoryCredentialStore(credentials)
    let bearer = BearerAuthenticator(store: store, origins: [exampleURL]) { $0 }
    _ = try await bearer.scope(for: HTTPRequest(url: exampleURL))
    let oauth = OAuthClient(id: "app", secret: "s3cret", authentication: .body)
    let client = makeClient(answering(.text("ok")))
    var configuration = HTTPClient.Configuration(baseURL: exampleURL)
    configuration.authenticator = bearer
    let all: [Any] = [
      credentials, Optional(credentials) as Any, [credentials], store, bearer, oauth, configuration,
      try BasicAuthenticator(user: "ann", password: "s3cret", origins: [exampleURL]),
      try APIKeyAuthenticator(key: "s3cret", origins: [exampleURL]),
      RefreshTokenGrant(tokenURL: exampleURL, client: oauth, network: client),
      ClientCredentialsGrant(tokenURL: exampleURL, client: oauth, network: client),
    ]
    for value in all {
      var dumped = ""
      dump(value, to: &dumped)
      let texts = [dumped, String(describing: value), String(reflecting: value)]
      #expect(texts.allSatisfy { !$0.contains("s3cret") && !$0.contains("czNjcmV0") }, "\(type(of: value))")
    }
    #expect("\(credentials)" == "BearerCredentials(account: ann, expiry: not known)")
  }
}
