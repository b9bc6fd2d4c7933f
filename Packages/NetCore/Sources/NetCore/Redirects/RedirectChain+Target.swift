#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RedirectChain {
  /// The most bytes of a URL that is followed to: 16 KiB.
  static let maximumURLSize = 16 << 10

  /// Where `response` leads from the last URL: its `Location`, resolved (RFC 3986, section 5), with the fragment of the last
  /// URL when it has none (RFC 9110, section 10.2.2); `nil` without a `Location`, or with an empty one.
  ///
  /// - Throws: ``APIError`` of kind `redirect` for a URL that must not or cannot be asked for.
  func target(of response: HTTPResponse) throws(APIError) -> URL? {
    let locations = response.fields.filter { $0.name == .location }.map(\.bytes)
    guard let location = locations.first, !location.isEmpty else { return nil }
    guard locations.allSatisfy({ $0 == location }) else { throw .invalidLocation("there are several") }
    guard location.count <= Self.maximumURLSize else { throw .invalidLocation("it is longer than 16 KiB") }
    let base = URIReference(url.absoluteString.utf8)
    var target = URIReference(location).resolved(against: base)
    target.fragment = target.fragment ?? base.fragment
    try target.validate()
    guard target.text.utf8.count <= Self.maximumURLSize else { throw .invalidLocation("it is longer than 16 KiB") }
    guard let url = URL(string: target.text, encodingInvalidCharacters: false) else {
      throw .invalidLocation("it is not a URL")
    }
    return url
  }
}

extension URIReference {
  /// Throws unless it is an http or https URL with nothing but a host and a port in its authority.
  fileprivate func validate() throws(APIError) {
    guard scheme == "http" || scheme == "https" else { throw .unsupportedScheme(scheme ?? "") }
    let authority = Array((authority ?? "").utf8)
    guard !authority.contains(UInt8(ascii: "@")) else { throw .userInfoInLocation }
    guard Self.isHostAndPort(authority) else { throw .invalidLocation("its host or port is not valid") }
  }

  /// Whether `authority` is a name, or an address in brackets, with or without a port. A name of other characters (an
  /// escape, a backslash, another script) is another host to somebody.
  private static func isHostAndPort(_ authority: [UInt8]) -> Bool {
    var rest = authority[...]
    if rest.first == UInt8(ascii: "[") {
      let address = rest.dropFirst().prefix { $0 != UInt8(ascii: "]") }
      rest = rest[address.endIndex...]
      guard rest.popFirst() != nil, address.allSatisfy(isAddressCharacter) else { return false }
    } else {
      let name = rest.prefix(while: PercentEncoding.isUnreserved)
      rest = rest[name.endIndex...]
      guard !name.isEmpty else { return false }
    }
    guard let colon = rest.popFirst() else { return true }
    let isNumber = rest.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return colon == UInt8(ascii: ":") && isNumber
      && (rest.isEmpty || UInt16(String(decoding: rest, as: UTF8.self)) != nil)
  }

  private static func isAddressCharacter(_ byte: UInt8) -> Bool {
    PercentEncoding.isUnreserved(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "%")
  }
}

extension APIError {
  fileprivate static func unsupportedScheme(_ scheme: String) -> APIError {
    let scheme = scheme.displayable(upTo: 20)
    return redirect(
      .unsupportedScheme,
      "The server redirects to a URL of the scheme \(scheme), and only http and https are asked for: take the redirect as "
        + "the answer (RedirectPolicy.never) and read its Location.")
  }

  fileprivate static let userInfoInLocation = redirect(
    .userInfo,
    "The server redirects to a URL with a user name or password, which are not sent for it: take the redirect as the "
      + "answer (RedirectPolicy.never) and read its Location.")

  fileprivate static func invalidLocation(_ problem: String) -> APIError {
    redirect(
      .invalidLocation,
      "The server redirects, but its Location cannot be followed: \(problem). The server has to be corrected, or take "
        + "the redirect as the answer (RedirectPolicy.never).")
  }
}
