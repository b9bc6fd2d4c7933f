#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Cookie {
  /// The longest time that a cookie lives: 400 days.
  static let maximumAge: Double = 400 * 86_400
  /// The most bytes of a path that is the request's own.
  private static let maximumPathSize = SetCookie.maximumAttributeSize

  /// The cookie that a `Set-Cookie` field sets, as far as its server may (RFC 6265bis, section 5.7); `nil` when it may not.
  init?(_ field: SetCookie, from origin: CookieOrigin, at now: Date, publicSuffixes: PublicSuffixes) {
    guard let domain = Self.domain(field.domain ?? "", from: origin, publicSuffixes: publicSuffixes) else { return nil }
    let text = Self.text(field.name, field.value)
    self.init(
      name: text.name, value: text.value, domain: domain.name, isHostOnly: domain.isHostOnly,
      path: field.path.flatMap { $0.isEmpty ? nil : $0 } ?? origin.defaultPath,
      expiry: Self.expiry(field, at: now), isSecure: field.isSecure, isHTTPOnly: field.isHTTPOnly,
      sameSite: field.sameSite, creation: now, lastAccess: now, isLatin1: text.isLatin1)
    guard path.utf8.count <= Self.maximumPathSize, origin.isSecure || !isSecure, isSecure || sameSite != .crossSite,
      keepsPromises(hasPath: field.path != nil)
    else { return nil }
  }

  /// A cookie of a store, if it is one that could have been set.
  init?(stored cookie: Cookie, at now: Date, publicSuffixes: PublicSuffixes) {
    guard let expiry = cookie.expiry, let field = SetCookie(cookie.bytes(of: "\(cookie.name)=\(cookie.value)")),
      CookieDomain.isValid(cookie.domain),
      Self.text(field.name, field.value) == (cookie.name, cookie.value, cookie.isLatin1),
      cookie.path.utf8.first == UInt8(ascii: "/"), cookie.path.utf8.count <= Self.maximumPathSize,
      cookie.isHostOnly || !publicSuffixes.contains(cookie.domain), cookie.isSecure || cookie.sameSite != .crossSite,
      cookie.keepsPromises(hasPath: true), !cookie.hasExpired(at: now)
    else { return nil }
    self.init(
      name: cookie.name, value: cookie.value, domain: cookie.domain, isHostOnly: cookie.isHostOnly, path: cookie.path,
      expiry: min(expiry, now + Self.maximumAge), isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly,
      sameSite: cookie.sameSite, creation: min(cookie.creation, now), lastAccess: min(cookie.lastAccess, now),
      isLatin1: cookie.isLatin1)
  }

  /// Whom the cookie is for; `nil` when the server may not set one for `domain`.
  private static func domain(
    _ domain: String, from origin: CookieOrigin, publicSuffixes: PublicSuffixes
  ) -> (name: String, isHostOnly: Bool)? {
    if domain.isEmpty { return (origin.host, true) }
    guard CookieDomain.matches(origin.host, domain) else { return nil }
    guard publicSuffixes.contains(domain) else { return (domain, false) }
    return domain == origin.host ? (domain, true) : nil
  }

  /// `Max-Age` goes before `Expires`; neither goes beyond ``maximumAge``.
  private static func expiry(_ field: SetCookie, at now: Date) -> Date? {
    if let age = field.maxAge { return age > 0 ? now + min(Double(age), maximumAge) : .distantPast }
    return field.expires.map { min($0, now + maximumAge) }
  }

  /// Whether the cookie is what its name promises, in upper or lower case (section 4.1.3).
  private func keepsPromises(hasPath: Bool) -> Bool {
    let prefix = (name.isEmpty ? value : name).utf8.prefix(9).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    if prefix.starts(with: "__host-".utf8) {
      return !name.isEmpty && isSecure && isHostOnly && hasPath && path == "/"
    }
    return !prefix.starts(with: "__secure-".utf8) || (!name.isEmpty && isSecure)
  }

  /// Name and value as text; as ISO 8859-1 when the bytes are not UTF-8.
  private static func text(_ name: [UInt8], _ value: [UInt8]) -> (name: String, value: String, isLatin1: Bool) {
    if let name = String(validating: name, as: UTF8.self), let value = String(validating: value, as: UTF8.self) {
      return (name, value, false)
    }
    let text = { (bytes: [UInt8]) in String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })) }
    return (text(name), text(value), true)
  }
}
