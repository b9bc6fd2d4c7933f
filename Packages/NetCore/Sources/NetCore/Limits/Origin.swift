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
    let length = whole.utf8.withContiguousStorageIfAvailable(Self.canonicalLength) ?? nil
    text = length.map { Substring(whole.utf8.prefix($0)) } ?? Substring(Self.spelledOut(url))
  }

  /// The same, holding no more of the URL than it shows: for keeping.
  var detached: Origin { Origin(text: Substring(String(text))) }

  private init(text: Substring) {
    self.text = text
  }

  /// How many bytes at the beginning of `url` are scheme and authority; `nil` when they may have another spelling.
  private static func canonicalLength(_ url: UnsafeBufferPointer<UInt8>) -> Int? {
    let isSecure = url.starts(with: "https://".utf8)
    guard isSecure || url.starts(with: "http://".utf8) else { return nil }
    let start = isSecure ? 8 : 7
    var (end, port) = (start, Int?.none)
    scan: while end < url.count {
      switch url[end] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
        UInt8(ascii: "."):
        break
      case UInt8(ascii: ":") where port == nil: port = end + 1
      case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): break scan
      default: return nil
      }
      end += 1
    }
    if let port {
      let digits = url[port..<end]
      let needsNone = digits.elementsEqual((isSecure ? "443" : "80").utf8)
      guard let first = digits.first, first != UInt8(ascii: "0"), !needsNone else { return nil }
    }
    return end > start ? end : nil
  }

  private static func spelledOut(_ url: URL) -> String {
    let scheme = url.scheme?.lowercased() ?? ""
    let host = url.host()?.lowercased() ?? ""
    let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    guard let port = url.effectivePort, port != (scheme == "https" ? 443 : 80) else { return "\(scheme)://\(name)" }
    return "\(scheme)://\(name):\(port)"
  }
}

extension Origin: CustomStringConvertible {
  /// The origin as it is written at the beginning of a URL; no user, password, path or query.
  var description: String { String(text) }
}
