#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An access token (RFC 6750), and what is needed to replace it.
///
/// Its descriptions show no token.
public struct BearerCredentials: Sendable, Hashable, Codable {
  /// What requests carry.
  public var accessToken: String
  /// What a new access token is asked for with; `nil` when there is nothing of the kind.
  public var refreshToken: String?
  /// When the access token ends to be valid; `nil` when that is not known.
  public var expiry: Date?
  /// Whose they are: an identifier that is no secret, and stays the same when the tokens are replaced. Responses are
  /// shared and stored within one account only.
  public internal(set) var account: String

  /// Credentials.
  ///
  /// - Parameters:
  ///   - accessToken: What requests carry.
  ///   - refreshToken: What a new access token is asked for with. Default: nothing.
  ///   - expiry: When the access token ends to be valid. Default: not known.
  ///   - account: Whose they are, such as a user's identifier. Default: an identifier that nobody else has, so that whoever
  ///     signs in next shares nothing with whoever did before.
  public init(accessToken: String, refreshToken: String? = nil, expiry: Date? = nil, account: String? = nil) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.expiry = expiry
    self.account = account ?? .randomIdentifier()
  }

  /// These in place of `old`: for the same account, and with the old refresh token when there is no new one (RFC 6749,
  /// section 6).
  func replacing(_ old: BearerCredentials) -> BearerCredentials {
    var new = self
    new.account = old.account
    new.refreshToken = refreshToken ?? old.refreshToken
    return new
  }

  /// How the account is called in a context.
  var scope: CredentialScope { CredentialScope(account) }
}

extension BearerCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Account and expiry.
  public var description: String {
    "BearerCredentials(account: \(account.displayable(upTo: 100)), expiry: \(expiry.map { "\($0)" } ?? "not known"))"
  }

  /// The same as ``description``: printing leaks no secret.
  public var debugDescription: String { description }

  /// Account and expiry.
  public var customMirror: Mirror { Mirror(self, children: ["account": account, "expiry": expiry as Any]) }
}

extension String {
  /// An identifier of 128 random bits.
  static func randomIdentifier() -> String {
    let (high, low) = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    return String(high, radix: 16) + "-" + String(low, radix: 16)
  }
}
