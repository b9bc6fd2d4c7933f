/// Gets new credentials for a ``BearerAuthenticator``.
///
/// Ready-made are ``RefreshTokenGrant`` and ``ClientCredentialsGrant`` of OAuth 2.0; anything else is a closure given to
/// ``BearerAuthenticator/init(store:origins:settings:refresh:)``, or a type of your own.
public protocol TokenGrant: Sendable {
  /// The account of a grant that needs no earlier credentials, such as a service's own; `nil` for one that does. Default:
  /// `nil`.
  var account: String? { get }

  /// New credentials in place of `old`, which is `nil` only for a grant that has an ``account``.
  ///
  /// It runs in a task of its own, with the authenticator's time limit, whoever waits for it. Its requests are never
  /// signed by the authenticator it works for.
  /// - Throws: ``APIError`` of kind `unauthorized` when the user has to sign in again; anything else is a failure that
  ///   may pass.
  func renew(_ old: BearerCredentials?) async throws -> BearerCredentials
}

extension TokenGrant {
  /// `nil`.
  public var account: String? { nil }
}

/// A grant made of a closure.
struct ClosureGrant: TokenGrant {
  let refresh: @Sendable (BearerCredentials) async throws -> BearerCredentials

  func renew(_ old: BearerCredentials?) async throws -> BearerCredentials {
    guard let old else { throw APIError(.unauthorized, reason: "Nobody is signed in.") }
    return try await refresh(old)
  }
}
