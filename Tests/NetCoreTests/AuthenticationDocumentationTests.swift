import Foundation
import NetCore
import NetTesting
import Testing

// The samples of Authentication.md, compiled.

private struct TokenAnswer: Decodable {
  var token: String
  var next: String?
  var expiry: Date?
}

private func signature(of request: HTTPRequest, secret: String) -> String {
  "\(request.method) \(secret.count)"
}

private struct SharedSecret: Authenticator {
  let secret: String

  func scope(for request: HTTPRequest) -> CredentialScope? {
    request.url.host() == "api.example.com" ? CredentialScope("service") : nil
  }

  func sign(_ request: HTTPRequest, context: RequestContext) -> HTTPRequest {
    var request = request
    request.fields["X-Signature"] = signature(of: request, secret: secret)
    return request
  }
}

@Suite(.timeLimit(.minutes(1))) struct AuthenticationDocumentationTests {
  private let baseURL = URL(string: "https://api.example.com/v1")!
  private let transport = ClosureTransport { request in
    switch request.path {
    case "/token": .json(#"{"access_token": "new", "token_type": "Bearer"}"#)
    case "/v1/session/refresh": .json(#"{"token": "new", "expiry": "2099-01-01T00:00:00Z"}"#)
    default: request.fields[.authorization] == "Bearer new" ? .text("ok") : .status(.unauthorized)
    }
  }

  private func client(_ authenticator: any Authenticator) -> HTTPClient {
    var configuration = HTTPClient.Configuration(baseURL: baseURL)
    configuration.authenticator = authenticator
    return HTTPClient(configuration, transport: transport)
  }

  @Test func `the first sample works as written`() async throws {
    let credentialsFile = FileManager.default.temporaryDirectory.appending(path: "credentials-\(UUID())")
    defer {
      for suffix in ["", ".lock"] { try? FileManager.default.removeItem(atPath: credentialsFile.path + suffix) }
    }
    let tokenURL = try #require(URL(string: "https://id.example.com/token"))
    let plain = HTTPClient(baseURL: baseURL, transport: transport)
    let authenticator = BearerAuthenticator(
      store: FileCredentialStore(file: credentialsFile),
      origins: [baseURL],
      grant: RefreshTokenGrant(tokenURL: tokenURL, client: OAuthClient(id: "brewtips"), network: plain))
    let (token, refreshToken) = ("old", "r")
    try await authenticator.signIn(BearerCredentials(accessToken: token, refreshToken: refreshToken, account: "ann"))
    #expect(try await client(authenticator).send(Endpoint<String>(path: "a")) == "ok")
  }

  @Test func `a closure replaces tokens`() async throws {
    let plain = HTTPClient(baseURL: baseURL, transport: transport)
    let authenticator = BearerAuthenticator(store: MemoryCredentialStore(), origins: [baseURL]) { old in
      let answer: TokenAnswer = try await plain.send(
        Endpoint(.post, path: "session/refresh", body: .encoded(["token": old.refreshToken])))
      return BearerCredentials(accessToken: answer.token, refreshToken: answer.next, expiry: answer.expiry)
    }
    try await authenticator.signIn(BearerCredentials(accessToken: "old"))
    #expect(try await client(authenticator).send(Endpoint<String>(path: "a")) == "ok")
  }

  @Test func `a predicate looks at the challenge`() {
    var settings = BearerAuthenticator.Settings()
    settings.isRefusal = { response in
      response.status == .forbidden && response.challenges.contains { $0["error"] == "invalid_token" }
    }
    let fields: HTTPFields = [.wwwAuthenticate: #"Bearer error="invalid_token""#]
    #expect(settings.isRefusal(.status(.forbidden, fields: fields)))
    #expect(!settings.isRefusal(.status(.forbidden)))
  }

  @Test func `a scheme of one's own signs`() async throws {
    _ = try? await client(SharedSecret(secret: "s")).send(Endpoint<String>(path: "a"))
    #expect(transport.requests.first?.fields["X-Signature"] == "GET 1")
  }
}
