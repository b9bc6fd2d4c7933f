import Foundation
import NetTesting
import Synchronization

@testable import NetCore

/// A server that takes one token at a time, and gives the next for the refresh token that belongs to it: each works once.
final class TokenServer: Sendable {
  private struct State {
    var current = 1
    var isRevoked = false
    var refreshes = 0
    var refusals = 0
    var isDown = false
    var wantedRefusals = 0
    let mayRefuse = Promise<Void>()
  }

  private let state = Mutex(State())

  var refreshes: Int { state.withLock { $0.refreshes } }

  /// What whoever is signed in got at first.
  func credentials(expiry: Date? = nil) -> BearerCredentials {
    BearerCredentials(accessToken: "token-1", refreshToken: "refresh-1", expiry: expiry, account: "ann")
  }

  /// From now on the token is refused.
  func revoke() { state.withLock { $0.isRevoked = true } }

  /// From now on no refresh succeeds.
  func goDown() { state.withLock { $0.isDown = true } }

  /// The server refuses nobody before it has so many to refuse.
  func refusals(_ count: Int) { state.withLock { $0.wantedRefusals = count } }

  /// The answer to a request for a resource: its token, or 401.
  func answer(_ request: RecordedRequest) async throws -> HTTPResponse {
    let mayRefuse: Promise<Void>? = state.withLock { state in
      if request.fields[.authorization] == "Bearer token-\(state.current)", !state.isRevoked { return nil }
      state.refusals += 1
      if state.refusals >= state.wantedRefusals { state.mayRefuse.fulfill(.success(())) }
      return state.mayRefuse
    }
    guard let mayRefuse else { return .text(request.fields[.authorization] ?? "") }
    try await mayRefuse.value()
    return .status(.unauthorized, fields: [.wwwAuthenticate: #"Bearer error="invalid_token""#])
  }

  /// The next credentials.
  func refresh(_ old: BearerCredentials) throws -> BearerCredentials {
    try state.withLock { state in
      state.refreshes += 1
      if state.isDown { throw APIError.badStatus(503) }
      guard old.refreshToken == "refresh-\(state.current)" else {
        throw APIError(.unauthorized, reason: "invalid_grant")
      }
      state.current += 1
      state.isRevoked = false
      return BearerCredentials(accessToken: "token-\(state.current)", refreshToken: "refresh-\(state.current)")
    }
  }
}

/// A client that somebody is signed in with.
struct SignedInClient {
  let server = TokenServer()
  let clock = TestClock()
  let transport: ClosureTransport
  let store: MemoryCredentialStore
  let authenticator: BearerAuthenticator
  let client: HTTPClient

  init(
    expiresIn lifetime: TimeInterval? = nil, settings: (inout BearerAuthenticator.Settings) -> Void = { _ in },
    _ configure: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) {
    let (server, clock) = (server, clock)
    transport = ClosureTransport { try await server.answer($0) }
    store = MemoryCredentialStore(
      server.credentials(expiry: lifetime.map { clock.timeSource.now.addingTimeInterval($0) }))
    var bearer = BearerAuthenticator.Settings()
    bearer.timeSource = clock.timeSource
    settings(&bearer)
    let authenticator = BearerAuthenticator(store: store, origins: [exampleURL], settings: bearer) {
      try server.refresh($0)
    }
    self.authenticator = authenticator
    client = makeClient(transport) {
      $0.authenticator = authenticator
      $0.timeSource = clock.timeSource
      configure(&$0)
    }
  }

  /// The tokens of the requests so far.
  var tokens: [String?] { transport.requests.map { $0.fields[.authorization] } }

  @discardableResult
  func get(_ path: RequestPath = "a", timeout: Duration? = nil) async throws -> String {
    try await client.send(Endpoint(path: path, timeout: timeout))
  }
}

extension TestClock {
  /// Returns when somebody sleeps until so long after the clock's beginning.
  func sleeper(until moment: Duration) async {
    while !sleepers.contains(.init(elapsed: moment)), !Task.isCancelled { await Task.yield() }
  }
}
