#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The origins that may see a secret: scheme, host and port of the URLs that were declared.
struct CredentialOrigins: Sendable {
  private struct Origin {
    let url: URL
    /// Scheme and authority as they are written.
    let text: String

    func contains(_ url: URL) -> Bool {
      // Ten times faster than taking two URLs apart, which is done for a URL that is written otherwise.
      let other = url.absoluteString.utf8
      let isWrittenAlike =
        other.starts(with: text.utf8) && other.dropFirst(text.utf8.count).first.map(isAfterAuthority) ?? true
      return isWrittenAlike || url.hasSameOrigin(as: self.url)
    }
  }

  private let origins: [Origin]

  init(_ urls: [URL]) {
    origins = urls.map { url in
      let text = url.absoluteString
      let start = text.firstRange(of: "://")?.upperBound ?? text.endIndex
      let authority = text.utf8[start...].prefix { !isAfterAuthority($0) }
      return Origin(url: url, text: String(text[..<authority.endIndex]))
    }
  }

  /// Whether `request` goes to one of them, and does not yet have the field that would be set.
  func allow(_ request: HTTPRequest, setting field: HTTPField.Name) -> Bool {
    !request.fields.contains(field) && contain(request)
  }

  /// Whether `request` goes to one of them.
  func contain(_ request: HTTPRequest) -> Bool {
    origins.contains { $0.contains(request.url) }
  }
}

extension CredentialOrigins: CustomStringConvertible {
  /// The origins, without the user and password that a URL may have.
  var description: String {
    origins.map { origin in
      let port = origin.url.port.map { ":\($0)" } ?? ""
      return "\(origin.url.scheme ?? "")://\(origin.url.host() ?? "")\(port)"
    }.joined(separator: ", ")
  }
}

/// Whether `byte` ends the authority before it (RFC 3986, section 3.2).
private func isAfterAuthority(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
}
