/// An application as an OAuth 2.0 server knows it (RFC 6749, section 2).
public struct OAuthClient: Sendable, Hashable {
  /// How a client with a secret proves who it is.
  public enum Authentication: Sendable, Hashable {
    /// By Basic authentication, which every server must understand (RFC 6749, section 2.3.1).
    case basic
    /// By fields in the body.
    case body
  }

  /// The client's identifier.
  public let id: String
  private let secret: String?
  private let authentication: Authentication

  /// A client.
  ///
  /// - Parameters:
  ///   - id: The client's identifier.
  ///   - secret: The client's secret; `nil` for a public client, such as an app on a user's device.
  ///   - authentication: How it proves who it is. Default: by Basic authentication.
  public init(id: String, secret: String? = nil, authentication: Authentication = .basic) {
    self.id = id
    self.secret = secret
    self.authentication = authentication
  }

  /// Adds to a token request who sends it.
  func identify(in form: inout Query, _ fields: inout HTTPFields) {
    guard let secret else { return form.append("client_id", id) }
    switch authentication {
    case .basic:
      fields[.authorization] = BasicAuthenticator.authorization(
        user: PercentEncoding.encodeForm(id), password: PercentEncoding.encodeForm(secret))
    case .body:
      form.append("client_id", id)
      form.append("client_secret", secret)
    }
  }
}

extension OAuthClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The identifier, not the secret.
  public var description: String { "OAuthClient(id: \(id))" }
  /// The same as ``description``: printing leaks no secret.
  public var debugDescription: String { description }
  /// The identifier, not the secret.
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
