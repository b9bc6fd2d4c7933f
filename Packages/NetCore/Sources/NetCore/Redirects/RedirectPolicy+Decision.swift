#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RedirectPolicy {
  /// The request to send after `response`, which answers the last of `chain`; `nil` when that is the answer.
  ///
  /// - Throws: ``APIError`` of kind `redirect` when the redirect must not be followed.
  func nextRequest(after response: HTTPResponse, in chain: RedirectChain) throws(APIError) -> HTTPRequest? {
    guard maximumCount > 0, response.status.isRedirect, let target = try chain.target(of: response) else { return nil }
    guard chain.redirects.count < maximumCount else { throw .tooManyRedirects(maximumCount) }
    let redirect = Redirect(status: response.status, from: chain.url, to: target)
    guard allowsDowngrade || !redirect.isDowngrade else { throw .downgrade(redirect) }
    var request = chain.request
    request.url = target
    request.fields.remove(.host)
    request.fields.remove("Referer")
    if request.becomesGet(after: response.status) { request.becomeGet() }
    guard request.body.isEmpty || request.body.isReplayable else { throw .bodySentOnce(redirect) }
    if !target.hasSameOrigin(as: redirect.from) { request.fields.keep(where: isPortable) }
    guard response.fields.contains(.setCookie) || !chain.contains(request) else { throw .redirectLoop(redirect) }
    return request
  }

  private func isPortable(_ name: HTTPField.Name) -> Bool {
    portableFields.contains(name) && !Self.credentials.contains(name)
  }

  private static let credentials: Set<HTTPField.Name> = [.authorization, .cookie, "Cookie2", .proxyAuthorization]
}

extension HTTPResponse.Status {
  /// Whether a response of this status that has a `Location` is a redirect.
  var isRedirect: Bool {
    switch self {
    case .movedPermanently, .found, .seeOther, .temporaryRedirect, .permanentRedirect: true
    default: false
    }
  }
}

extension HTTPRequest {
  /// Whether the redirect asks for an answer to be got instead of the request to be repeated: after 303 always, after 301
  /// and 302 for `POST`, as everybody does (RFC 9110, sections 15.4.2 to 15.4.4).
  fileprivate func becomesGet(after status: HTTPResponse.Status) -> Bool {
    switch status {
    case .seeOther: (method != .get && method != .head) || !body.isEmpty
    case .movedPermanently, .found: method == .post
    default: false
    }
  }

  /// Drops the body, the fields about it (RFC 9110, section 15.4), and those that make a change safe.
  fileprivate mutating func becomeGet() {
    if method != .head { method = .get }
    body = .empty
    fields.keep { !Self.isOfContent($0) }
  }

  private static func isOfContent(_ name: HTTPField.Name) -> Bool {
    name.canonicalName.hasPrefix("content-") || name.canonicalName.hasPrefix("if-") || fieldsOfContent.contains(name)
  }

  private static let fieldsOfContent: Set<HTTPField.Name> = [
    "Digest", "Repr-Digest", .expect, .idempotencyKey, .lastModified, .range, .trailer, .transferEncoding,
  ]
}

extension HTTPFields {
  fileprivate mutating func keep(where isKept: (HTTPField.Name) -> Bool) {
    self = HTTPFields(filter { isKept($0.name) })
  }
}

extension APIError {
  fileprivate static func tooManyRedirects(_ limit: Int) -> APIError {
    redirect(
      .tooMany,
      "The server redirected more than \(limit) times: ask for another URL, or raise RedirectPolicy.maximumCount.")
  }

  fileprivate static func redirectLoop(_ redirect: Redirect) -> APIError {
    .redirect(
      .loop,
      "The server redirects in a circle, back to \(redirect.target): if it sets a cookie to end that, give the client a "
        + "cookie jar; else the server has to be corrected.")
  }

  fileprivate static func downgrade(_ redirect: Redirect) -> APIError {
    .redirect(
      .downgrade,
      "The server redirects from https to \(redirect.target), where anybody on the way could read and change the "
        + "exchange: ask for an https URL, or set RedirectPolicy.allowsDowngrade.")
  }

  fileprivate static func bodySentOnce(_ redirect: Redirect) -> APIError {
    .redirect(
      .bodySentOnce,
      "The server redirects to \(redirect.target) with \(redirect.status), which asks for the body again, and this body "
        + "can be sent only once: give one of bytes, of a file or of a replayable stream, or send it to that URL.")
  }
}

extension Redirect {
  fileprivate var target: String { Redactor.standard.redact(to) }
}
