import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Signs with an access token (RFC 6750), and replaces the token shortly before it expires or when the server refuses it.
///
///     let store = FileCredentialStore(file: credentialsFile)
///     let grant = RefreshTokenGrant(tokenURL: tokenURL, client: OAuthClient(id: "brewtips"), network: plainClient)
///     let authenticator = BearerAuthenticator(store: store, origins: [configuration.baseURL], grant: grant)
///     configuration.authenticator = authenticator
///     try await authenticator.signIn(BearerCredentials(accessToken: token, refreshToken: refreshToken))
///
/// However many requests need a new token, it is asked for once, and all of them wait for it; each may be cancelled
/// alone, which does not stop the renewal. A renewal that fails fails all who waited, and who comes in the next seconds
/// (``Settings/pauseAfterFailure``); the old token is sent to nobody any more. When the server says that the user has to
/// sign in again, the credentials are removed.
///
/// Without credentials requests are sent as they are, so that a sign-in may go through the same client. A request that
/// has an `Authorization` of its own keeps it. When the last reference to an authenticator is gone, so is its renewal.
public final class BearerAuthenticator: Authenticator, InterruptibleAuthenticator {
  /// The settings.
  public let settings: Settings
  private let store: any CredentialStore
  private let origins: CredentialOrigins
  private let grant: any TokenGrant
  private let executor: (any TaskExecutor)?
  private let state: Mutex<BearerState>

  /// An authenticator whose tokens a grant replaces.
  ///
  /// - Parameters:
  ///   - store: Where the credentials are. Others may share it.
  ///   - origins: Who may see the token: the scheme, host and port of these URLs, and nobody else.
  ///   - settings: When it replaces a token.
  ///   - grant: Gets new credentials.
  public convenience init(
    store: any CredentialStore, origins: [URL], settings: Settings = Settings(), grant: any TokenGrant
  ) {
    self.init(store: store, origins: origins, settings: settings, grant: grant, executor: nil)
  }

  /// An authenticator whose tokens a closure replaces.
  ///
  /// - Parameters:
  ///   - store: Where the credentials are. Others may share it.
  ///   - origins: Who may see the token: the scheme, host and port of these URLs, and nobody else.
  ///   - settings: When it replaces a token.
  ///   - refresh: New credentials in place of the given ones, whose account and, unless there is a new one, refresh token
  ///     they keep. It throws an ``APIError`` of kind `unauthorized`, such as a client throws for a 401, when the user has
  ///     to sign in again; anything else is a failure that may pass.
  public convenience init(
    store: any CredentialStore, origins: [URL], settings: Settings = Settings(),
    refresh: @escaping @Sendable (BearerCredentials) async throws -> BearerCredentials
  ) {
    self.init(store: store, origins: origins, settings: settings, grant: ClosureGrant(refresh: refresh))
  }

  /// - Parameter executor: Where renewals run; for tests that decide the order of everything.
  init(
    store: any CredentialStore, origins: [URL], settings: Settings, grant: any TokenGrant,
    executor: (any TaskExecutor)?
  ) {
    self.settings = settings
    self.store = store
    self.origins = CredentialOrigins(origins)
    self.grant = grant
    self.executor = executor
    state = Mutex(BearerState(grantAccount: grant.account, settings: settings))
  }

  deinit {
    state.withLock { $0.takeWork() }?.end(.failure(CancellationError()))
  }

  /// The account of the credentials, for requests to the declared origins; `nil` when nobody is signed in.
  ///
  /// - Throws: What the store throws when it cannot be read.
  public func scope(for request: HTTPRequest) async throws -> CredentialScope? {
    try await scope(for: request, within: RequestContext())
  }

  func scope(
    for request: HTTPRequest, within context: RequestContext
  ) async throws -> CredentialScope? {
    guard mayDecorate(request) else { return nil }
    while true {
      let (scope, work) = state.withLock { state in
        state.isLoaded ? (state.scope, nil) : (nil, state.work ?? load(into: &state))
      }
      guard let work else { return scope }
      try await context.interruptible { try await work.value() }
    }
  }

  /// `request` with a token that is good, as far as is known; waits for one if need be. As it is when it goes elsewhere,
  /// has an `Authorization`, or nobody is signed in.
  ///
  /// - Throws: ``APIError`` of kind `unauthorized` when the credentials the call began with are gone; why they could not be
  ///   renewed; `CancellationError` at once.
  public func sign(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPRequest {
    guard mayDecorate(request) else { return request }
    var standing = try standing(for: context.credentialScope)
    if case .waiting = standing {
      let started = settings.timeSource.elapsed
      standing = try await settled(standing, in: context)
      context.report(.awaitedCredentials(for: settings.timeSource.elapsed - started))
    }
    guard case .settled(let token?) = standing else { return request }
    var request = request
    request.fields[.authorization] = Self.authorization(token)
    return request
  }

  /// ``Settings/isRefusal``.
  public func isRefusal(_ response: HTTPResponse) -> Bool {
    settings.isRefusal(response)
  }

  /// Waits for a renewal of the token in `request`, which is started if nobody has; returns at once when there is another
  /// token by now.
  ///
  /// - Throws: As ``sign(_:context:)`` does.
  public func renewCredentials(
    refusedIn request: HTTPRequest, by response: HTTPResponse, context: RequestContext
  ) async throws {
    state.withLock { state in
      // Compared as they read in a request, which drops the white space around a value.
      if let token = state.credentials?.accessToken,
        let field = HTTPField(name: .authorization, value: Self.authorization(token)),
        request.fields[.authorization] == field.value
      {
        state.refusedToken = token
      }
    }
    _ = try await settled(standing(for: context.credentialScope), in: context)
  }

  private static func authorization(_ token: String) -> String { "Bearer \(token)" }

  /// Whether a token may be put into `request`. Not into one that the renewal of this very token sends.
  private func mayDecorate(_ request: HTTPRequest) -> Bool {
    origins.allow(request, setting: .authorization) && !BearerRenewal.running.contains(ObjectIdentifier(self))
  }

  /// How the credentials are.
  private enum Standing {
    /// There is a good token, as far as is known, or `nil` because nobody is signed in.
    case settled(token: String?)
    /// They are loaded or renewed.
    case waiting(BearerWork)
  }

  /// How the credentials of `scope` are; starts what they need.
  private func standing(for scope: CredentialScope?) throws -> Standing {
    try state.withLock { state in
      if let work = state.work { return .waiting(work) }
      guard state.isLoaded else { return .waiting(load(into: &state)) }
      return try state.isSettled(for: scope)
        ? .settled(token: state.credentials?.accessToken) : .waiting(renew(&state))
    }
  }

  /// How the credentials are once nothing is left to wait for.
  private func settled(_ standing: Standing, in context: RequestContext) async throws -> Standing {
    var standing = standing
    while case .waiting(let work) = standing {
      try await context.interruptible { try await work.value() }
      standing = try self.standing(for: context.credentialScope)
    }
    return standing
  }
}

extension BearerAuthenticator {
  /// Uses `credentials` from now on, in place of any others, and stores them. Requests that wait with other credentials
  /// fail. When the task is cancelled the credentials are stored all the same.
  ///
  /// - Throws: What the store throws: the credentials are used, but not kept. `CancellationError`.
  public func signIn(_ credentials: BearerCredentials) async throws {
    try await begin(credentials, endingOthersWith: .anotherAccount)
  }

  /// Forgets the credentials and removes them from the store. Requests that wait for a renewal fail with ``APIError`` of
  /// kind `unauthorized`; those that were sent go on.
  ///
  /// A grant with an ``TokenGrant/account`` of its own gets new credentials at the next request. When the task is cancelled
  /// the store is emptied all the same.
  /// - Throws: What the store throws: the credentials are not used any more, but may still be stored.
  ///   `CancellationError`.
  public func signOut() async throws {
    try await begin(nil, endingOthersWith: .signedOut)
  }

  private func begin(_ credentials: BearerCredentials?, endingOthersWith error: APIError) async throws {
    let (session, work) = state.withLock { state in
      let work = state.takeWork()
      state.begin(credentials, endingOthersWith: error)
      return (state.session, work)
    }
    work?.end(.failure(error))
    // In work of its own: it ends in time whatever has the store, and goes on when the caller's task is cancelled.
    let writing = BearerWork(session: session)
    writing.run(settings, on: executor) { [store] in
      do {
        try await store.update { stored in
          // Whoever signed in or out later has the last word.
          if self.isCurrent(session) { stored = credentials }
        }
        return .stored
      } catch {
        return .storeFailed(error)
      }
    } atEnd: {
      writing.end($0.result)
    }
    try await writing.value()
  }

  private func isCurrent(_ session: Int) -> Bool {
    state.withLock { $0.session == session }
  }
}

extension BearerAuthenticator {
  private func load(into state: inout BearerState) -> BearerWork {
    start(in: &state) { [store] in
      do {
        return .loaded(try await store.load())
      } catch {
        return .storeFailed(error)
      }
    }
  }

  private func renew(_ state: inout BearerState) -> BearerWork {
    let session = state.session
    let renewal = BearerRenewal(
      old: state.credentials, refusedToken: state.refusedToken, store: store, grant: grant, settings: settings,
      authenticator: ObjectIdentifier(self)
    ) { [weak self] in
      // Nobody signed out of an authenticator that is gone: what the server gave at the last moment is kept.
      self?.isCurrent(session) ?? true
    }
    return start(in: &state) { await renewal.run() }
  }

  /// Runs `operation` in a task that belongs to the authenticator and not to whoever waits for it.
  private func start(
    in state: inout BearerState, _ operation: @escaping @Sendable () async -> BearerOutcome
  ) -> BearerWork {
    let work = BearerWork(session: state.session)
    state.work = work
    work.run(settings, on: executor, operation) { [weak self] in self?.finish(work, $0) }
    return work
  }

  private func finish(_ work: BearerWork, _ outcome: BearerOutcome) {
    state.withLock { $0.finish(work, outcome) }
    work.end(outcome.result)
  }
}

extension BearerAuthenticator: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Who is signed in, without a token.
  public var description: String {
    "BearerAuthenticator(\(state.withLock { $0.credentials }.map { "\($0)" } ?? "nobody is signed in"))"
  }

  /// The same as ``description``: printing leaks no secret.
  public var debugDescription: String { description }

  /// Who is signed in, without a token.
  public var customMirror: Mirror {
    Mirror(self, children: ["credentials": state.withLock { $0.credentials } as Any])
  }
}
