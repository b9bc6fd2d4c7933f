#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Credentials of an application itself, such as a service without a user (OAuth 2.0, RFC 6749, section 4.4).
///
/// It needs no earlier credentials: the first request gets them.
public struct ClientCredentialsGrant: TokenGrant {
  /// The client's identifier.
  public let account: String?
  private let endpoint: TokenEndpoint

  /// A grant.
  ///
  /// - Parameters:
  ///   - tokenURL: The server's token endpoint.
  ///   - client: The application, as the server knows it; it has a secret.
  ///   - scope: Which access is asked for, as the server writes it. Default: the server's choice.
  ///   - network: Sends the request. Not the client whose requests the token is for, but a plain one.
  ///   - timeSource: Tells the time from which a token's lifetime is counted. Default: the machine's clocks.
  public init(
    tokenURL: URL, client: OAuthClient, scope: String? = nil, network: any NetworkClient,
    timeSource: TimeSource = .system
  ) {
    account = client.id
    endpoint = TokenEndpoint(url: tokenURL, client: client, scope: scope, network: network, timeSource: timeSource)
  }

  /// New credentials. `old` does not matter.
  ///
  /// - Throws: ``APIError``, of kind `unauthorized` only for `invalid_grant`.
  public func renew(_ old: BearerCredentials?) async throws -> BearerCredentials {
    try await endpoint.credentials(for: ["grant_type": "client_credentials"])
  }
}
