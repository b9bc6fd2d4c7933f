#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A cookie as a ``CookieJar`` keeps it (RFC 6265bis, section 5.7). A jar makes it of a `Set-Cookie` field.
///
/// It is `Codable` for a ``CookieStore``. Printing it shows its name and attributes, never its value.
public struct Cookie: Sendable, Hashable, Codable {
  /// What a server said about requests that another site causes (RFC 6265bis, section 4.1.2.7).
  public enum SameSite: String, Sendable, Hashable, Codable {
    /// Not with such requests.
    case strict
    /// Only when they lead the user to the site.
    case lax
    /// With all requests: `None` in the field. Such a cookie is secure.
    case crossSite = "none"
  }

  /// The name; empty for a cookie that has only a value.
  public let name: String
  /// The value: a secret, as a rule.
  public let value: String
  /// The host that set the cookie, or the domain it named; in lower case, without a leading dot.
  public let domain: String
  /// Whether only the host that set the cookie gets it back, and not the hosts below ``domain``.
  public let isHostOnly: Bool
  /// Where the paths begin that get the cookie.
  public let path: String
  /// When the cookie ends, at most 400 days after it was set; `nil` for one that ends with the jar.
  public let expiry: Date?
  /// Whether only secure connections carry the cookie.
  public let isSecure: Bool
  /// Whether the server wants the cookie kept from scripts. To a jar it is the same.
  public let isHTTPOnly: Bool
  /// What the server said about requests that another site causes. It is kept, not obeyed: a client of an API has no sites.
  public let sameSite: SameSite?
  /// When a cookie of this name, domain and path was first set.
  public internal(set) var creation: Date
  /// When the cookie was last set or sent.
  public internal(set) var lastAccess: Date
  /// Whether name and value are bytes that were no UTF-8, and are sent as they came: each scalar is one byte.
  let isLatin1: Bool

  /// Whether both have the same name, domain and path, so that one replaces the other.
  func hasSameIdentity(as other: Cookie) -> Bool {
    isHostOnly == other.isHostOnly && domain == other.domain && path.utf8.elementsEqual(other.path.utf8)
      && hasSameName(as: other)
  }

  /// Whether both names have the same bytes.
  func hasSameName(as other: Cookie) -> Bool {
    // Not `==`, to which different bytes can be the same characters.
    name.utf8.elementsEqual(other.name.utf8) && (isLatin1 == other.isLatin1 || name.utf8.allSatisfy { $0 < 0x80 })
  }

  /// Whether the cookie has ended at `now`.
  func hasExpired(at now: Date) -> Bool {
    expiry.map { $0 <= now } ?? false
  }

  /// `name=value` as a Cookie field has it; the value alone for a cookie without a name.
  var pair: [UInt8] {
    bytes(of: name.isEmpty ? value : "\(name)=\(value)")
  }

  /// The bytes that `text`, made of name and value, has on the wire.
  func bytes(of text: String) -> [UInt8] {
    isLatin1 ? text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(text.utf8)
  }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The cookie as `Set-Cookie` writes it, with its value hidden.
  public var description: String {
    var text = "\(name.displayable(upTo: 100))=\(Redactor.placeholder)"
    text += isHostOnly ? "; Host=\(domain)" : "; Domain=\(domain)"
    text += "; Path=\(path.displayable(upTo: 200))"
    if isSecure { text += "; Secure" }
    if isHTTPOnly { text += "; HttpOnly" }
    if let sameSite { text += "; SameSite=\(sameSite.rawValue)" }
    return text
  }

  /// The same as ``description``: printing a cookie leaks no secret.
  public var debugDescription: String { description }

  /// No children: neither does dumping one.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
