extension HTTPField {
  /// A field name (RFC 9110, section 5.1): a token, compared without regard to ASCII case.
  ///
  /// The common ones are statics; any other is made with ``init(_:)``, or written as a literal:
  /// `let trace: HTTPField.Name = "X-Trace"`.
  public struct Name: Sendable {
    /// The name in the case it was given, which is how HTTP/1.1 sends it.
    public let rawName: String

    /// The name in lower case, which is what equality and hashing look at and how HTTP/2 sends it.
    public let canonicalName: String

    /// A name from any token of RFC 9110, section 5.6.2; `nil` when `name` is not one.
    ///
    /// A colon, a space, CR, LF or NUL is not a token character, so none reaches a wire.
    public init?(_ name: String) {
      guard HTTPToken.isValid(name) else { return nil }
      self.init(unchecked: name)
    }

    fileprivate init(unchecked name: String) {
      rawName = name
      canonicalName = name.lowercased()
    }
  }
}

extension HTTPField.Name: Hashable, CustomStringConvertible {
  /// Whether two names are the same but for ASCII case.
  public static func == (one: Self, other: Self) -> Bool {
    one.canonicalName == other.canonicalName
  }

  /// Hashes the name in lower case.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(canonicalName)
  }

  /// The name in the case it was given.
  public var description: String { rawName }
}

extension HTTPField.Name: ExpressibleByStringLiteral {
  /// A name written as a literal. A literal that is not a token is a programmer's error and traps.
  public init(stringLiteral value: StaticString) {
    let text = String(describing: value)
    precondition(HTTPToken.isValid(text), "\"\(text)\" is not a field name: use letters, digits and !#$%&'*+-.^_`|~")
    self.init(unchecked: text)
  }
}

extension HTTPField.Name {
  /// `Accept`.
  public static let accept = Self(unchecked: "Accept")
  /// `Accept-Encoding`.
  public static let acceptEncoding = Self(unchecked: "Accept-Encoding")
  /// `Accept-Language`.
  public static let acceptLanguage = Self(unchecked: "Accept-Language")
  /// `Age` (RFC 9111).
  public static let age = Self(unchecked: "Age")
  /// `Allow`.
  public static let allow = Self(unchecked: "Allow")
  /// `Authorization`.
  public static let authorization = Self(unchecked: "Authorization")
  /// `Cache-Control` (RFC 9111).
  public static let cacheControl = Self(unchecked: "Cache-Control")
  /// `Connection`.
  public static let connection = Self(unchecked: "Connection")
  /// `Content-Disposition` (RFC 6266).
  public static let contentDisposition = Self(unchecked: "Content-Disposition")
  /// `Content-Encoding`.
  public static let contentEncoding = Self(unchecked: "Content-Encoding")
  /// `Content-Language`.
  public static let contentLanguage = Self(unchecked: "Content-Language")
  /// `Content-Length`.
  public static let contentLength = Self(unchecked: "Content-Length")
  /// `Content-Location`.
  public static let contentLocation = Self(unchecked: "Content-Location")
  /// `Content-Range`.
  public static let contentRange = Self(unchecked: "Content-Range")
  /// `Content-Type`.
  public static let contentType = Self(unchecked: "Content-Type")
  /// `Cookie` (RFC 6265).
  public static let cookie = Self(unchecked: "Cookie")
  /// `Date`.
  public static let date = Self(unchecked: "Date")
  /// `ETag`.
  public static let eTag = Self(unchecked: "ETag")
  /// `Expect`.
  public static let expect = Self(unchecked: "Expect")
  /// `Expires` (RFC 9111).
  public static let expires = Self(unchecked: "Expires")
  /// `Host`.
  public static let host = Self(unchecked: "Host")
  /// `Idempotency-Key`.
  public static let idempotencyKey = Self(unchecked: "Idempotency-Key")
  /// `If-Match`.
  public static let ifMatch = Self(unchecked: "If-Match")
  /// `If-Modified-Since`.
  public static let ifModifiedSince = Self(unchecked: "If-Modified-Since")
  /// `If-None-Match`.
  public static let ifNoneMatch = Self(unchecked: "If-None-Match")
  /// `If-Range`.
  public static let ifRange = Self(unchecked: "If-Range")
  /// `Last-Modified`.
  public static let lastModified = Self(unchecked: "Last-Modified")
  /// `Link` (RFC 8288).
  public static let link = Self(unchecked: "Link")
  /// `Location`.
  public static let location = Self(unchecked: "Location")
  /// `Proxy-Authenticate`.
  public static let proxyAuthenticate = Self(unchecked: "Proxy-Authenticate")
  /// `Proxy-Authorization`.
  public static let proxyAuthorization = Self(unchecked: "Proxy-Authorization")
  /// `Range`.
  public static let range = Self(unchecked: "Range")
  /// `Retry-After`.
  public static let retryAfter = Self(unchecked: "Retry-After")
  /// `Server`.
  public static let server = Self(unchecked: "Server")
  /// `Set-Cookie` (RFC 6265).
  public static let setCookie = Self(unchecked: "Set-Cookie")
  /// `TE`.
  public static let te = Self(unchecked: "TE")
  /// `Trailer`.
  public static let trailer = Self(unchecked: "Trailer")
  /// `Transfer-Encoding` (RFC 9112).
  public static let transferEncoding = Self(unchecked: "Transfer-Encoding")
  /// `Upgrade`.
  public static let upgrade = Self(unchecked: "Upgrade")
  /// `User-Agent`.
  public static let userAgent = Self(unchecked: "User-Agent")
  /// `Vary`.
  public static let vary = Self(unchecked: "Vary")
  /// `WWW-Authenticate`.
  public static let wwwAuthenticate = Self(unchecked: "WWW-Authenticate")
}
