#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Signs with a key in a header field.
///
///     configuration.authenticator = try APIKeyAuthenticator(key: key, field: "X-API-Key", origins: [configuration.baseURL])
///
/// A request that has the field already keeps it.
public struct APIKeyAuthenticator: Authenticator, InterruptibleAuthenticator {
  /// The field that holds the key.
  public let field: HTTPField.Name
  private let key: String
  private let scope: CredentialScope
  private let origins: CredentialOrigins

  /// An authenticator with one key.
  ///
  /// - Parameters:
  ///   - key: The field's whole value.
  ///   - field: The field's name. Default: `X-API-Key`.
  ///   - origins: Who may see the key: the scheme, host and port of these URLs, and nobody else.
  ///   - account: Whose key it is, an identifier that is no secret: responses are shared within one account only.
  ///     Default: one that nobody else has, new for each authenticator.
  /// - Throws: ``APIError`` of kind `invalidRequest` when the key cannot stand in a field.
  public init(key: String, field: HTTPField.Name = "X-API-Key", origins: [URL], account: String? = nil) throws {
    guard !key.isEmpty, HTTPField(name: field, value: key) != nil else {
      throw APIError.invalidRequest("An API key cannot be empty or have control characters: check where it comes from.")
    }
    self.key = key
    self.field = field
    self.origins = CredentialOrigins(origins)
    scope = CredentialScope(account ?? .randomIdentifier())
  }

  /// The account, for requests to the declared origins. Those that have a key of their own have a scope for each such key,
  /// which lasts as long as the process.
  public func scope(for request: HTTPRequest) -> CredentialScope? {
    guard origins.contain(request) else { return nil }
    let keys = request.fields[values: field]
    return keys.isEmpty || keys == [key] ? scope : CredentialScope("own key", with: keys)
  }

  /// `request` with the key; as it is when it goes elsewhere or has the field.
  public func sign(_ request: HTTPRequest, context: RequestContext) -> HTTPRequest {
    guard origins.allow(request, setting: field) else { return request }
    var request = request
    request.fields[field] = key
    return request
  }
}

extension APIKeyAuthenticator: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The field, not the key.
  public var description: String { "APIKeyAuthenticator(field: \(field))" }
  /// The same as ``description``: printing leaks no secret.
  public var debugDescription: String { description }
  /// The field, not the key.
  public var customMirror: Mirror { Mirror(self, children: ["field": field]) }
}
