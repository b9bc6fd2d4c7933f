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

  /// What the caller's review makes of `request`, which a `status` leads to from `url`; `nil` when the redirect is the answer.
  ///
  /// Where it leads to another origin than was asked about, what it did not put into the request itself is dropped too.
  /// - Throws: ``APIError`` of kind `redirect` where it leads from https to http unasked; what the review throws.
  func reviewed(_ request: HTTPRequest, from url: URL, by status: HTTPResponse.Status) throws -> HTTPRequest? {
    guard var reviewed = try review(request, Redirect(status: status, from: url, to: request.url)) else { return nil }
    guard reviewed.url != request.url else { return reviewed }
    let redirect = Redirect(status: status, from: url, to: reviewed.url)
    guard allowsDowngrade || !redirect.isDowngrade else { throw APIError.downgrade(redirect) }
    if !reviewed.url.hasSameOrigin(as: request.url) {
      reviewed.fields = HTTPFields(reviewed.fields.filter { isPortable($0.name) || !request.fields.contains($0) })
    }
    return reviewed
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
      "The server redirected more than \(limit) times: ask for another URL, raise RedirectPolicy.maximumCount, or keep "
        + "cookies if it sets one to end that.")
  }

  fileprivate static func redirectLoop(_ redirect: Redirect) -> APIError {
    .redirect(
      .loop,
      "The server redirects in a circle, back to \(redirect.target), which it has answered before: ask for another URL, or "
        + "the server has to be corrected.")
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
