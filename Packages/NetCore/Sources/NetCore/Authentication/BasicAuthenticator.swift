#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Signs with a user's name and password (RFC 7617), in UTF-8.
///
///     configuration.authenticator = try BasicAuthenticator(user: "ann", password: secret, origins: [configuration.baseURL])
///
/// A request that has an `Authorization` of its own keeps it.
public struct BasicAuthenticator: Authenticator, InterruptibleAuthenticator {
  /// The user's name.
  public let user: String
  private let authorization: String
  private let scope: CredentialScope
  private let origins: CredentialOrigins

  /// An authenticator for one user.
  ///
  /// - Parameters:
  ///   - user: The user's name, which may be empty.
  ///   - password: The password, which may be empty.
  ///   - origins: Who may see the credentials: the scheme, host and port of these URLs, and nobody else.
  /// - Throws: ``APIError`` of kind `invalidRequest` when the name has a colon, or either has a control character
  ///   (RFC 7617, section 2).
  public init(user: String, password: String, origins: [URL]) throws {
    guard !user.utf8.contains(UInt8(ascii: ":")) else {
      throw APIError.invalidRequest("A user name of Basic authentication cannot have a colon (RFC 7617, section 2).")
    }
    guard (user + password).unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw APIError.invalidRequest("Names and passwords of Basic authentication cannot have control characters.")
    }
    self.user = user
    self.origins = CredentialOrigins(origins)
    authorization = Self.authorization(user: user, password: password)
    scope = CredentialScope("Basic \(user)", with: [password])
  }

  /// The user with this password, for requests to the declared origins. It lasts as long as the process: what a cache on disk
  /// keeps for it is not used by the next.
  public func scope(for request: HTTPRequest) -> CredentialScope? {
    origins.allow(request, setting: .authorization) ? scope : nil
  }

  /// `request` with its `Authorization`; as it is when it goes elsewhere or has one.
  public func sign(_ request: HTTPRequest, context: RequestContext) -> HTTPRequest {
    guard origins.allow(request, setting: .authorization) else { return request }
    var request = request
    request.fields[.authorization] = authorization
    return request
  }

  /// The field's value for `user` and `password`.
  static func authorization(user: String, password: String) -> String {
    "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
  }
}

extension BasicAuthenticator: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The user, not the password.
  public var description: String { "BasicAuthenticator(user: \(user))" }
  /// The same as ``description``: printing leaks no secret.
  public var debugDescription: String { description }
  /// The user, not the password.
  public var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}
