import NetCore

/// The target of a request line in origin, absolute or asterisk form (RFC 9112, section 3.2).
struct RequestTarget: Sendable, Equatable {
  /// The target as it came.
  let text: String
  /// The path, percent-encoded as it came; `*` for the asterisk form.
  let path: String
  /// What follows the question mark, as it came.
  let query: String?

  init(_ bytes: Slice<UnsafeRawBufferPointer>, method: HTTPRequest.Method) throws(LoopbackError) {
    guard !bytes.isEmpty, bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
      throw .badRequest("The request target has a character that must be percent-encoded.")
    }
    text = String(decoding: bytes, as: UTF8.self)
    var origin = text[...]
    if text == "*" {
      guard method == .options else { throw .badRequest("The target * is for OPTIONS alone.") }
    } else if !text.hasPrefix("/") {
      origin = try Self.origin(ofAbsolute: text)
    }
    let parts = origin.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts[0])
    query = parts.count > 1 ? String(parts[1]) : nil
  }

  /// The path and query of `http://authority/path?query`.
  private static func origin(ofAbsolute text: String) throws(LoopbackError) -> Substring {
    guard let scheme = ["http://", "https://"].first(where: { text.lowercased().hasPrefix($0) }) else {
      throw .badRequest("The request target is neither a path nor an http URL.")
    }
    let rest = text.dropFirst(scheme.count)
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    guard !rest[..<end].isEmpty, isAuthority(rest[..<end].utf8) else {
      throw .badRequest("The request target has no valid host.")
    }
    let origin = rest[end...]
    return origin.hasPrefix("/") ? origin : "/" + origin
  }

  /// Whether `text` can be a host with an optional port and nothing else (RFC 3986, section 3.2).
  ///
  /// An empty one is what a client sends that has no authority (RFC 9112, section 3.2).
  static func isAuthority(_ text: some BidirectionalCollection<UInt8>) -> Bool {
    let port = text.reversed().prefix(while: isDigit)
    let hasPort = port.count < text.count && text.dropLast(port.count).last == UInt8(ascii: ":")
    let host = hasPort ? text.dropLast(port.count + 1) : text[...]
    if host.first == UInt8(ascii: "[") {
      return host.count > 2 && host.last == UInt8(ascii: "]")
        && host.dropFirst().dropLast().allSatisfy {
          isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
        }
    }
    return host.allSatisfy(isHostCharacter)
  }

  private static func isHostCharacter(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || hostMarks.contains(byte)
  }

  private static let hostMarks = Array("-._~%!$&'()*+,;=".utf8)
}

func isHexDigit(_ byte: UInt8) -> Bool {
  isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
}
