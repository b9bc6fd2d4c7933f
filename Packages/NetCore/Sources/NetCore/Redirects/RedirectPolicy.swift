/// How redirects are followed: 301, 302, 303, 307 and 308 with a `Location` (RFC 9110, section 15.4).
///
/// A redirect is a new request. After 303 it is a `GET` without content (a `HEAD` stays one), and so is a `POST` after 301 or
/// 302; everything else keeps its method and is sent again with its body. A redirect that must not be followed fails the
/// call with ``APIError`` of kind ``APIError/Kind/redirect(_:)``. A response of another status, or without a `Location`, is
/// the answer.
///
/// To another origin (another scheme, host or port) no credentials go along, and of the other fields only those in
/// ``portableFields``. What was left behind once does not come back, also not at the first origin. `Referer` is not sent.
public struct RedirectPolicy: Sendable {
  /// The most redirects of a call that are followed; the next fails the call. At 0 none is, and a redirect is the answer.
  /// Default: 20.
  public var maximumCount = 20
  /// Whether a redirect from https to http is followed, without credentials, instead of failing the call. Default: `false`.
  public var allowsDowngrade = false
  /// The fields that go along to another origin. Default: those that describe content, ask for a form or part of it, or name
  /// the sender or the call: `Accept`, `Content-Type`, `Range`, `If-None-Match`, `User-Agent`, `Idempotency-Key` and their
  /// like.
  ///
  /// Any other field may be a key that was meant for the first origin alone. `Authorization`, `Cookie`, `Cookie2` and
  /// `Proxy-Authorization` stay behind whatever is said here.
  public var portableFields: Set<HTTPField.Name> = [
    .accept, "Accept-Charset", .acceptEncoding, .acceptLanguage, .cacheControl, "Pragma", "Prefer", "Priority",
    "Content-Digest", .contentDisposition, .contentEncoding, .contentLanguage, .contentLength, .contentRange,
    .contentType, "Repr-Digest", .ifMatch, .ifModifiedSince, .ifNoneMatch, .ifRange, "If-Unmodified-Since", .range, .te,
    .expect, .idempotencyKey, .userAgent, "traceparent", "X-Request-ID",
  ]
  /// The caller's own view of a redirect that may be followed: the request to send, as it is given or changed; `nil` makes the
  /// redirect the answer; an error fails the call. Default: every request as it is.
  ///
  ///     policy.review = { request, redirect in
  ///       redirect.to.host() == "cdn.example.com" ? request : nil
  ///     }
  ///
  /// What it puts into a request is sent, until the next change of origin. Where it leads elsewhere itself, the rules for other
  /// origins and for https hold there too.
  public var review: @Sendable (_ request: HTTPRequest, _ redirect: Redirect) throws -> HTTPRequest? = { request, _ in
    request
  }

  /// A policy with everything at its default.
  public init() {}

  /// Follows up to 20 redirects, with everything at its default.
  public static let standard = RedirectPolicy()

  /// Follows none: a redirect is the answer, for the validation to judge.
  public static let never: RedirectPolicy = {
    var policy = RedirectPolicy()
    policy.maximumCount = 0
    return policy
  }()
}
