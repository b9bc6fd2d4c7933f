/// Gives requests their credentials: what a client's ``HTTPClient/Configuration/authenticator`` does.
///
/// Ready-made are ``BearerAuthenticator``, ``BasicAuthenticator`` and ``APIKeyAuthenticator``. Digest (RFC 7616) is not
/// among them.
///
/// For each call the client asks ``scope(for:)`` once. A request with a scope is signed before every attempt. When
/// ``isRefusal(_:)`` says that the response refuses the credentials, they are renewed and the request is sent once more;
/// a second refusal is the answer. A body that can be sent only once is not sent again, and after another status than 401
/// neither is a request that could act twice: then the refusal is the answer, and the next call has new credentials.
public protocol Authenticator: Sendable {
  /// Whose credentials `request` is to carry; `nil` when it is to be sent as it is.
  ///
  /// Only requests to origins that were declared get a scope, and none that already has the field that would be set.
  /// - Throws: What the credentials' store throws.
  func scope(for request: HTTPRequest) async throws -> CredentialScope?

  /// `request` with its credentials.
  ///
  /// - Parameters:
  ///   - request: The request of a call that has a scope.
  ///   - context: Its ``RequestContext/credentialScope`` says whose credentials the call began with. Those of anybody else
  ///     must not be used.
  /// - Throws: ``APIError`` of kind `unauthorized` when there are none any more, or what kept them from being renewed.
  func sign(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPRequest

  /// Whether `response` refuses the credentials, and new ones may help. Default: never, for credentials that do not change.
  func isRefusal(_ response: HTTPResponse) -> Bool

  /// Gets new credentials in place of those in `request`, which `response` refused; returns at once when there are
  /// newer ones already. The response's body may be gone.
  ///
  /// - Throws: ``APIError`` of kind `unauthorized` when the user has to sign in again, of another kind when getting them
  ///   failed for now; `CancellationError`.
  func renewCredentials(
    refusedIn request: HTTPRequest, by response: HTTPResponse, context: RequestContext
  ) async throws
}

extension Authenticator {
  /// `false`.
  public func isRefusal(_ response: HTTPResponse) -> Bool { false }

  /// Does nothing.
  public func renewCredentials(
    refusedIn request: HTTPRequest, by response: HTTPResponse, context: RequestContext
  ) async throws {}
}
