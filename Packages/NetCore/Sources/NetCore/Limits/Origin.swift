#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Scheme, host and port of a URL (RFC 6454, section 4) in one spelling: lower case, and no port that goes without saying.
///
///     https://api.example.com
///     http://127.0.0.1:8080
///
/// Made for each request, so it is cheap: the text of most URLs begins like that already, and is not copied.
struct Origin: Hashable, Sendable {
  private let text: Substring

  init(_ url: URL) {
    let whole = url.absoluteString
    text = Self.canonicalPrefix(of: whole) ?? Substring(Self.spelledOut(url))
  }

  /// The same, holding no more of the URL than it shows: for keeping.
  var detached: Origin { Origin(text: Substring(String(text))) }

  private init(text: Substring) {
    self.text = text
  }

  /// Scheme and authority at the beginning of `url`; `nil` when they may have another spelling.
  private static func canonicalPrefix(of url: String) -> Substring? {
    let bytes = url.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let isSecure = bytes[..<colon].elementsEqual("https".utf8)
    guard isSecure || bytes[..<colon].elementsEqual("http".utf8), bytes[colon...].starts(with: "://".utf8) else {
      return nil
    }
    let start = bytes.index(colon, offsetBy: 3)
    var port: String.Index?
    var end = start
    scan: while end < bytes.endIndex {
      switch bytes[end] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
        UInt8(ascii: "."):
        break
      case UInt8(ascii: ":") where port == nil:
        port = bytes.index(after: end)
      case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"):
        break scan
      default:
        return nil
      }
      end = bytes.index(after: end)
    }
    if let port {
      let digits = bytes[port..<end]
      guard let first = digits.first, first != UInt8(ascii: "0"), !digits.elementsEqual((isSecure ? "443" : "80").utf8)
      else { return nil }
    }
    return end == start ? nil : url[..<end]
  }

  private static func spelledOut(_ url: URL) -> String {
    let scheme = url.scheme?.lowercased() ?? ""
    let host = url.host()?.lowercased() ?? ""
    let port = url.effectivePort.map { ":\($0)" } ?? ""
    return scheme + "://" + (host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host)
      + (port == (scheme == "https" ? ":443" : ":80") ? "" : port)
  }
}

extension Origin: CustomStringConvertible {
  /// The origin as it is written at the beginning of a URL; no user, password, path or query.
  var description: String { String(text) }
}
