#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What cookies look at in a URL.
struct CookieOrigin {
  /// The host in lower case: a name, an IPv4 address, or an IPv6 address without brackets.
  let host: String
  /// The path as it stands in the URL, at least `/`.
  let path: String
  /// Whether a request is safe from those who listen: `https`, and a server on the same machine (RFC 6265bis, section
  /// 5.8.3, leaves it to the client to say which).
  let isSecure: Bool
  /// Whether the host is an address, which has no domain above it.
  let isIPAddress: Bool

  /// `nil` for a URL whose host is none that cookies could be kept for.
  init?(_ url: URL) {
    guard var host = url.host(percentEncoded: true)?.lowercased() else { return nil }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    if host.hasSuffix(".") { host.removeLast() }
    guard CookieDomain.isValid(host) else { return nil }
    self.host = host
    let path = url.path(percentEncoded: true)
    self.path = path.utf8.first == UInt8(ascii: "/") ? path : "/"
    isSecure = url.scheme?.lowercased() == "https" || CookieDomain.isLoopback(host)
    isIPAddress = CookieDomain.isIPAddress(host)
  }

  /// The path of a cookie that names none: the request's, without what follows the last `/` (section 5.1.4).
  var defaultPath: String {
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
    return end == path.startIndex ? "/" : String(path[..<end])
  }
}

/// The comparisons of RFC 6265bis, section 5.1.
enum CookieDomain {
  /// Whether `host` is `domain`, or a name below it; an IP address is below nothing (section 5.1.3).
  ///
  /// Both are in lower case.
  static func matches(_ host: String, _ domain: String) -> Bool {
    host == domain
      || !domain.isEmpty && host.hasSuffix(domain) && host.utf8.dropLast(domain.utf8.count).last == UInt8(ascii: ".")
        && !isIPAddress(host)
  }

  /// Whether a host is written with what names and addresses are made of. No other has cookies: what such a name means is
  /// up to whoever reads it.
  static func isValid(_ host: String) -> Bool {
    guard 1...253 ~= host.utf8.count else { return false }
    var last = UInt8(ascii: ".")
    for byte in host.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: ":"):
        break
      case UInt8(ascii: ".") where last != UInt8(ascii: "."):
        break
      default:
        return false
      }
      last = byte
    }
    return last != UInt8(ascii: ".")
  }

  /// Whether a host is an address: it has a colon, or its last label is a number, which no name may end with.
  static func isIPAddress(_ host: String) -> Bool {
    if host.utf8.contains(UInt8(ascii: ":")) { return true }
    let dot = host.utf8.lastIndex(of: UInt8(ascii: "."))
    let last = host.utf8[(dot.map(host.utf8.index(after:)) ?? host.startIndex)...]
    return last.starts(with: "0x".utf8) || last.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  /// Whether a host is this machine: `localhost` and what is below it (RFC 6761), `127.0.0.0/8`, `::1`.
  static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host == "::1" || host.hasSuffix(".localhost") { return true }
    guard host.hasPrefix("127.") else { return false }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }
}

/// Paths (RFC 6265bis, section 5.1.4).
enum CookiePath {
  /// Whether `path` is `cookiePath`, or below it; compared byte by byte.
  static func matches(_ path: String, _ cookiePath: String) -> Bool {
    guard path.utf8.starts(with: cookiePath.utf8) else { return false }
    return path.utf8.count == cookiePath.utf8.count || cookiePath.utf8.last == UInt8(ascii: "/")
      || path.utf8.dropFirst(cookiePath.utf8.count).first == UInt8(ascii: "/")
  }
}
