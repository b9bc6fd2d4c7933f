#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The token endpoint of an OAuth 2.0 server (RFC 6749, section 3.2).
struct TokenEndpoint: Sendable {
  let url: URL
  let client: OAuthClient
  let scope: String?
  let network: any NetworkClient
  let timeSource: TimeSource

  /// Asks for credentials with the fields of a grant.
  func credentials(for grant: Query) async throws -> BearerCredentials {
    var form = grant
    form.append("scope", scope)
    var fields: HTTPFields = [.accept: "application/json"]
    client.identify(in: &form, &fields)
    // Counted from before the request, so that a slow answer does not make a token look younger than it is.
    let asked = timeSource.now
    var request = Endpoint<BearerCredentials>(
      .post, path: .root, fields: fields, body: .form(form), name: "OAuth token"
    ) {
      response, _ in
      try TokenResponse(response).credentials(asked: asked)
    }
    request.absoluteURL = url
    // The body is a secret, and meant for this URL alone.
    request.redirects = .never
    do {
      return try await network.send(request)
    } catch let error as APIError {
      throw error.asTokenFailure
    }
  }
}

/// A successful answer (RFC 6749, section 5.1).
private struct TokenResponse: Decodable {
  let accessToken: String
  let type: String?
  let lifetime: Double?
  let refreshToken: String?

  private enum Key: String, CodingKey {
    case accessToken = "access_token"
    case type = "token_type"
    case lifetime = "expires_in"
    case refreshToken = "refresh_token"
  }

  init(_ response: CollectedResponse) throws {
    self = try response.value(as: Self.self, coders: .json)
    guard !accessToken.isEmpty else { throw APIError.notBearer("an empty access token") }
    guard type == nil || type?.lowercased() == "bearer" else { throw APIError.notBearer("a token of another type") }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    accessToken = try container.decode(String.self, forKey: .accessToken)
    type = try container.decodeIfPresent(String.self, forKey: .type)
    refreshToken = try container.decodeIfPresent(String.self, forKey: .refreshToken).flatMap { $0.isEmpty ? nil : $0 }
    // Some servers write the number as a string.
    let number = try? container.decodeIfPresent(Double.self, forKey: .lifetime)
    lifetime = number ?? (try? container.decode(String.self, forKey: .lifetime)).flatMap(Double.init)
  }

  func credentials(asked: Date) -> BearerCredentials {
    let known = lifetime.flatMap { (0...1e9).contains($0) ? $0 : nil }
    return BearerCredentials(
      accessToken: accessToken, refreshToken: refreshToken, expiry: known.map { asked.addingTimeInterval($0) })
  }
}

/// An error answer (RFC 6749, section 5.2).
private struct TokenFailure: Decodable {
  let error: String
}

extension APIError {
  fileprivate static func notBearer(_ what: String) -> APIError {
    APIError(.decoding, reason: "The token endpoint gave \(what): only bearer tokens are understood.")
  }

  /// The failure as its grant reports it: `unauthorized` when the user has to sign in again, and for nothing else.
  fileprivate var asTokenFailure: APIError {
    let code = (try? serverError(as: TokenFailure.self))?.error
    switch (code, kind) {
    case ("invalid_grant", _):
      return APIError(
        .unauthorized, reason: "The token endpoint takes the grant no more (invalid_grant).", underlying: self)
    case (_, .unauthorized):
      return APIError(
        .otherStatus(401),
        reason: "The token endpoint refused the client\(code.map { " (\($0.displayable(upTo: 50)))" } ?? "").",
        underlying: self)
    case (let code?, _):
      return APIError(kind, reason: "The token endpoint answered \(code.displayable(upTo: 50)).", underlying: self)
    case (nil, _):
      return self
    }
  }
}
