import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CacheKey {
  /// The key of a request: the credentials it has of its own count before those an authenticator will add.
  init(for request: HTTPRequest, authorization: String?, scope: CredentialScope?) {
    let partition =
      if let authorization {
        "authorization:" + fingerprint(of: authorization)
      } else {
        scope.map(Self.partition) ?? ""
      }
    self.init(partition: partition, url: Self.text(of: request.url))
  }

  /// The partition of a credential scope.
  static func partition(of scope: CredentialScope) -> String {
    "scope:" + scope.name
  }

  /// The text of a URL in one of the forms that mean the same (RFC 9110, section 4.2.3): scheme and host in lower case,
  /// without the scheme's own port, with a path, without a fragment.
  static func text(of url: URL) -> String {
    var text = url.absoluteString
    let isPlain = text.withUTF8(isPlain)
    return isPlain ? text : rewritten(text)
  }

  /// Whether the text is in that form already, as nearly all are.
  private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var slashes = 0
    var colon = 0
    for (place, byte) in text.enumerated() {
      switch byte {
      case slash:
        slashes += 1
        guard slashes == 3 else { continue }
        // A port so long is no scheme's own.
        return place - colon > 4 && !text[place...].contains(numberSign)
      case UInt8(ascii: ":"): colon = place
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), question, numberSign: return false
      default: break
      }
    }
    return false
  }

  private static func rewritten(_ text: String) -> String {
    let bytes = text.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
      return text
    }
    let start = bytes.index(colon, offsetBy: 3)
    let end = bytes[start...].firstIndex { $0 == slash || $0 == question || $0 == numberSign } ?? bytes.endIndex
    let fragment = bytes[end...].firstIndex(of: numberSign) ?? bytes.endIndex
    let hasPath = end < fragment && bytes[end] == slash
    let scheme = text[..<colon].lowercased()
    var authority = text[start..<end].lowercased()
    for port in scheme == "https" ? [":443", ":"] : [":80", ":"] where authority.hasSuffix(port) {
      authority.removeLast(port.count)
      break
    }
    return scheme + "://" + authority + (hasPath ? "" : "/") + text[end..<fragment]
  }
}

private let slash = UInt8(ascii: "/")
private let question = UInt8(ascii: "?")
private let numberSign = UInt8(ascii: "#")
