import Synchronization

/// One renewal: reads what is stored, gets new credentials unless somebody else has, and stores them.
struct BearerRenewal: Sendable {
  /// The authenticators whose renewals this task is a part of: they do not sign what it sends, which would wait for itself.
  @TaskLocal static var running: Set<ObjectIdentifier> = []

  let old: BearerCredentials?
  let refusedToken: String?
  let store: any CredentialStore
  let grant: any TokenGrant
  let settings: BearerAuthenticator.Settings
  let authenticator: ObjectIdentifier
  /// Whether nobody signed in or out meanwhile.
  let isWanted: @Sendable () -> Bool

  func run() async -> BearerOutcome {
    // Kept beside the store's answer: credentials the server gave are used even if the store could not keep them.
    let reached = Mutex<BearerOutcome?>(nil)
    do {
      return try await store.update { stored in
        let outcome = await renew(&stored)
        reached.withLock { $0 = outcome }
        return outcome
      }
    } catch {
      return reached.withLock { $0 } ?? .failed(.renewalFailed(error))
    }
  }

  private func renew(_ stored: inout BearerCredentials?) async -> BearerOutcome {
    if let stored, isNews(stored) { return .renewed(stored) }
    guard stored != nil || grant.account != nil else { return .ended(.signedOut) }
    do {
      let renewed = try await newCredentials(replacing: stored)
      guard isWanted() else { return .failed(.signedOut) }
      stored = renewed
      return renewed.accessToken == refusedToken ? .failed(.refusedTokenAgain) : .renewed(renewed)
    } catch let error as APIError where error.kind == .unauthorized {
      if isWanted() { stored = nil }
      return .ended(.sessionEnded(error))
    } catch {
      return .failed(.renewalFailed(error))
    }
  }

  /// Whether somebody else has renewed the credentials, such as another process.
  private func isNews(_ stored: BearerCredentials) -> Bool {
    guard stored.accessToken != old?.accessToken, stored.accessToken != refusedToken else { return false }
    return stored.expiry.map { settings.timeSource.now < $0 } ?? true
  }

  private func newCredentials(replacing stored: BearerCredentials?) async throws -> BearerCredentials {
    var renewed = try await Self.$running.withValue(Self.running.union([authenticator])) {
      try await grant.renew(stored)
    }
    if let account = grant.account { renewed.account = account }
    return stored.map { renewed.replacing($0) } ?? renewed
  }
}

extension APIError {
  fileprivate static let refusedTokenAgain = APIError(
    .transport(.other), reason: "The renewal gave the same access token that the server had refused.",
    mayHaveReachedServer: false)

  fileprivate static func sessionEnded(_ error: APIError) -> APIError {
    APIError(
      .unauthorized, reason: "The session has ended, sign in again: \(error.reason)", mayHaveReachedServer: false,
      underlying: error)
  }

  /// What those are told who waited for a renewal that failed. Their own requests were not acted on.
  fileprivate static func renewalFailed(_ error: any Error) -> APIError {
    let cause = error as? APIError
    return APIError(
      cause?.kind ?? .transport(.other),
      reason: "The credentials could not be renewed: \(cause?.reason ?? "\(type(of: error)).")",
      mayHaveReachedServer: false, underlying: error)
  }
}
