/// A reference to a URI taken apart, and resolved against a base (RFC 3986, sections 4.1 and 5.2).
///
/// Foundation's `URL(string:relativeTo:)` knows no empty reference and leaves the dots of an absolute one, and its lenient
/// parsing can see another host than was meant. What a reference must not hold is percent-encoded here as browsers do,
/// but never in its authority, which is left as it is.
struct URIReference {
  /// The scheme, in lower case.
  var scheme: String?
  /// Host and port, and a user if there is one.
  var authority: String?
  /// The path.
  var path: String
  /// What follows the `?`.
  var query: String?
  /// What follows the `#`.
  var fragment: String?

  /// The parts of `bytes` (RFC 3986, appendix B).
  init(_ bytes: some Sequence<UInt8>) {
    var rest = Array(bytes)[...]
    fragment = Self.cut(&rest, at: UInt8(ascii: "#")).map { Self.repair($0, allowing: Self.isQueryCharacter) }
    query = Self.cut(&rest, at: UInt8(ascii: "?")).map { Self.repair($0, allowing: Self.isQueryCharacter) }
    if let colon = rest.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
      scheme = String(decoding: rest[..<colon], as: UTF8.self).lowercased()
      rest = rest[(colon + 1)...]
    }
    if rest.starts(with: "//".utf8) {
      let authority = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
      self.authority = String(decoding: authority, as: UTF8.self)
      rest = rest[authority.endIndex...]
    }
    path = Self.repair(rest, allowing: PercentEncoding.isPathCharacter)
  }

  /// The reference as text (RFC 3986, section 5.3).
  var text: String {
    let start = (scheme.map { "\($0):" } ?? "") + (authority.map { "//\($0)" } ?? "") + path
    return start + (query.map { "?\($0)" } ?? "") + (fragment.map { "#\($0)" } ?? "")
  }

  /// What the reference means where `base` is the URI of the document (RFC 3986, section 5.2.2).
  func resolved(against base: URIReference) -> URIReference {
    var target = self
    if scheme == nil {
      target.scheme = base.scheme
      if authority == nil {
        target.authority = base.authority
        if path.isEmpty {
          target.path = base.path
          target.query = query ?? base.query
          return target
        }
        if !path.hasPrefix("/") { target.path = base.folder + path }
      }
    }
    target.path = Self.removingDots(target.path)
    return target
  }

  /// The path up to its last slash (RFC 3986, section 5.2.3).
  private var folder: String {
    if authority != nil, path.isEmpty { return "/" }
    return path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// `path` with its `.` and `..` segments followed (RFC 3986, section 5.2.4).
  private static func removingDots(_ path: String) -> String {
    let isAbsolute = path.hasPrefix("/")
    let segments = path.dropFirst(isAbsolute ? 1 : 0).split(separator: "/", omittingEmptySubsequences: false)
    var kept: [Substring] = []
    for segment in segments {
      switch segment {
      case ".": break
      case "..": _ = kept.popLast()
      default: kept.append(segment)
      }
    }
    if segments.last == "." || segments.last == ".." { kept.append("") }
    return (isAbsolute ? "/" : "") + kept.joined(separator: "/")
  }

  /// What follows the first `mark`, which is cut off with it.
  private static func cut(_ bytes: inout ArraySlice<UInt8>, at mark: UInt8) -> ArraySlice<UInt8>? {
    guard let place = bytes.firstIndex(of: mark) else { return nil }
    defer { bytes = bytes[..<place] }
    return bytes[(place + 1)...]
  }

  private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, isLetter(first) else { return false }
    return bytes.allSatisfy { byte in
      isLetter(byte) || "0123456789+-.".utf8.contains(byte)
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    let lower = byte | 0x20
    return UInt8(ascii: "a") <= lower && lower <= UInt8(ascii: "z")
  }

  private static func isQueryCharacter(_ byte: UInt8) -> Bool {
    PercentEncoding.isPathCharacter(byte) || byte == UInt8(ascii: "?")
  }

  private static func repair(_ bytes: ArraySlice<UInt8>, allowing isAllowed: (UInt8) -> Bool) -> String {
    PercentEncoding.repair(bytes, allowing: isAllowed)
  }
}
