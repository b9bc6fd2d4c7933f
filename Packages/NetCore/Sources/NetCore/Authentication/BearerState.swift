#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a ``BearerAuthenticator`` knows. Its functions wait for nothing.
struct BearerState {
  private let grantAccount: String?
  private let settings: BearerAuthenticator.Settings
  /// Whether the store was read.
  private(set) var isLoaded = false
  private(set) var credentials: BearerCredentials?
  /// Counts sign-ins and sign-outs: what began before one does not count after it.
  private(set) var session = 0
  /// The loading or renewal under way.
  var work: BearerWork?
  /// The token the server refused.
  var refusedToken: String?
  private var renewalDate: Date?
  private var failure: (error: APIError, until: Duration)?
  private var end: APIError?

  init(grantAccount: String?, settings: BearerAuthenticator.Settings) {
    self.grantAccount = grantAccount
    self.settings = settings
  }

  /// Whose credentials there are, or can be had.
  var scope: CredentialScope? {
    credentials?.scope ?? grantAccount.map { CredentialScope($0) }
  }

  /// Whether ``credentials`` can be used as they are, be it that there are none to use; otherwise they have to be renewed.
  ///
  /// - Throws: Why a call that began with `scope` ends here.
  func isSettled(for scope: CredentialScope?) throws -> Bool {
    if let scope, scope != self.scope { throw end ?? APIError.anotherAccount }
    guard credentials != nil || grantAccount != nil else { return true }
    if let failure {
      guard settings.timeSource.elapsed >= failure.until else { throw failure.error }
      return false
    }
    guard let credentials, credentials.accessToken != refusedToken else { return false }
    return renewalDate.map { settings.timeSource.now < $0 } ?? true
  }

  /// The work under way, which is no longer the authenticator's.
  mutating func takeWork() -> BearerWork? {
    defer { work = nil }
    return work
  }

  /// Another session begins: with other credentials, or with none.
  mutating func begin(_ credentials: BearerCredentials?, endingOthersWith error: APIError) {
    session += 1
    end = error
    use(credentials, areNew: false)
  }

  /// Takes what came of `work`. A failure that comes after the time limit is no news, new credentials are.
  mutating func finish(_ work: BearerWork, _ outcome: BearerOutcome) {
    guard work.session == session else { return }
    let isUnderWay = self.work === work
    if isUnderWay { self.work = nil }
    switch outcome {
    case .loaded(let credentials): if !isLoaded { use(credentials, areNew: false) }
    case .renewed(let credentials): use(credentials, areNew: true)
    case .ended(let error):
      end = error
      use(nil, areNew: false)
      // A grant that needs no earlier credentials would be asked again by the next request.
      if grantAccount != nil { pause(with: error) }
    case .failed(let error) where isUnderWay && isLoaded:
      pause(with: error)
    case .failed, .storeFailed, .stored: break
    }
  }

  private mutating func pause(with error: APIError) {
    failure = (error, settings.timeSource.elapsed + settings.pauseAfterFailure)
  }

  private mutating func use(_ credentials: BearerCredentials?, areNew: Bool) {
    isLoaded = true
    self.credentials = credentials
    refusedToken = nil
    failure = nil
    let now = settings.timeSource.now
    renewalDate = credentials?.expiry.map { expiry in
      let margin = settings.renewsBeforeExpiry.inSeconds
      return expiry - (areNew ? min(margin, expiry.timeIntervalSince(now) / 2) : margin)
    }
    // New credentials that have expired by this machine's clock: one of the clocks is wrong, the server will tell.
    if areNew, let date = renewalDate, date <= now { renewalDate = nil }
  }
}

extension APIError {
  static let anotherAccount = APIError(
    .unauthorized, reason: "Somebody else signed in, or the credentials changed, after the call began: make it again.",
    mayHaveReachedServer: false)
  static let signedOut = APIError(
    .unauthorized, reason: "The user signed out before the call was done.", mayHaveReachedServer: false)
}
