#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// New credentials for a refresh token (OAuth 2.0, RFC 6749, section 6).
///
/// A server may give a new refresh token with them, which replaces the old one; if it does not, the old one is kept.
public struct RefreshTokenGrant: TokenGrant {
  private let endpoint: TokenEndpoint

  /// A grant.
  ///
  /// - Parameters:
  ///   - tokenURL: The server's token endpoint.
  ///   - client: The application, as the server knows it.
  ///   - scope: Which of the access granted is asked for, as the server writes it. Default: all.
  ///   - network: Sends the request. Not the client whose requests the token is for, but a plain one.
  ///   - timeSource: Tells the time from which a token's lifetime is counted. Default: the machine's clocks.
  public init(
    tokenURL: URL, client: OAuthClient, scope: String? = nil, network: any NetworkClient,
    timeSource: TimeSource = .system
  ) {
    endpoint = TokenEndpoint(url: tokenURL, client: client, scope: scope, network: network, timeSource: timeSource)
  }

  /// Credentials for the refresh token of `old`.
  ///
  /// - Throws: ``APIError`` of kind `unauthorized` when there is no refresh token, or the server takes it no more
  ///   (`invalid_grant`); of another kind for any other failure.
  public func renew(_ old: BearerCredentials?) async throws -> BearerCredentials {
    guard let token = old?.refreshToken else {
      throw APIError(.unauthorized, reason: "There is no refresh token.", mayHaveReachedServer: false)
    }
    return try await endpoint.credentials(for: ["grant_type": "refresh_token", "refresh_token": token])
  }
}
