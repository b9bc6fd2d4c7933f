extension HTTPResponse {
  /// A response status code (RFC 9110, section 15): an open set of three-digit numbers.
  public struct Status: Sendable, Hashable, RawRepresentable {
    /// The code, from 100 to 999.
    public let code: Int

    /// A status from its code; `nil` unless it has three digits (100 to 999).
    public init?(code: Int) {
      guard (100...999).contains(code) else { return nil }
      self.code = code
    }

    /// The same as ``init(code:)``.
    public init?(rawValue: Int) {
      self.init(code: rawValue)
    }

    private init(unchecked code: Int) {
      self.code = code
    }

    /// The code.
    public var rawValue: Int { code }
  }
}

extension HTTPResponse.Status: ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// A status written as a literal. A literal outside 100 to 999 is a programmer's error and traps.
  public init(integerLiteral code: Int) {
    precondition((100...999).contains(code), "\(code) is not an HTTP status: it must have three digits")
    self.init(unchecked: code)
  }

  /// The code with the name RFC 9110 gives it: `404 Not Found`.
  public var description: String {
    reasonPhrase.isEmpty ? "\(code)" : "\(code) \(reasonPhrase)"
  }
}

extension HTTPResponse.Status {
  /// The class of a status: its first digit (RFC 9110, section 15).
  public enum Kind: Sendable, Hashable {
    /// 1xx: interim, another response follows.
    case informational
    /// 2xx.
    case successful
    /// 3xx.
    case redirection
    /// 4xx.
    case clientError
    /// 5xx.
    case serverError
    /// 6xx and above: not defined by HTTP.
    case invalid
  }

  /// The class of this status.
  public var kind: Kind {
    switch code {
    case 100...199: .informational
    case 200...299: .successful
    case 300...399: .redirection
    case 400...499: .clientError
    case 500...599: .serverError
    default: .invalid
    }
  }

  /// 200.
  public static let ok: Self = 200
  /// 201.
  public static let created: Self = 201
  /// 202.
  public static let accepted: Self = 202
  /// 204: success without content.
  public static let noContent: Self = 204
  /// 205: success without content.
  public static let resetContent: Self = 205
  /// 206.
  public static let partialContent: Self = 206
  /// 301.
  public static let movedPermanently: Self = 301
  /// 302.
  public static let found: Self = 302
  /// 303.
  public static let seeOther: Self = 303
  /// 304: the stored response is still good; without content.
  public static let notModified: Self = 304
  /// 307.
  public static let temporaryRedirect: Self = 307
  /// 308.
  public static let permanentRedirect: Self = 308
  /// 400.
  public static let badRequest: Self = 400
  /// 401.
  public static let unauthorized: Self = 401
  /// 403.
  public static let forbidden: Self = 403
  /// 404.
  public static let notFound: Self = 404
  /// 405.
  public static let methodNotAllowed: Self = 405
  /// 408.
  public static let requestTimeout: Self = 408
  /// 409.
  public static let conflict: Self = 409
  /// 411.
  public static let lengthRequired: Self = 411
  /// 413.
  public static let contentTooLarge: Self = 413
  /// 414.
  public static let uriTooLong: Self = 414
  /// 415.
  public static let unsupportedMediaType: Self = 415
  /// 417.
  public static let expectationFailed: Self = 417
  /// 421.
  public static let misdirectedRequest: Self = 421
  /// 422.
  public static let unprocessableContent: Self = 422
  /// 425 (RFC 8470).
  public static let tooEarly: Self = 425
  /// 429 (RFC 6585).
  public static let tooManyRequests: Self = 429
  /// 431 (RFC 6585).
  public static let requestHeaderFieldsTooLarge: Self = 431
  /// 500.
  public static let internalServerError: Self = 500
  /// 501.
  public static let notImplemented: Self = 501
  /// 502.
  public static let badGateway: Self = 502
  /// 503.
  public static let serviceUnavailable: Self = 503
  /// 504.
  public static let gatewayTimeout: Self = 504
  /// 505.
  public static let httpVersionNotSupported: Self = 505

  /// The name that RFC 9110 (or the RFC in the static's note) gives the code; empty for codes this kit does not know.
  public var reasonPhrase: String {
    Self.reasonPhrases[code] ?? ""
  }

  private static let reasonPhrases: [Int: String] = [
    100: "Continue", 101: "Switching Protocols", 103: "Early Hints",
    200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content",
    205: "Reset Content", 206: "Partial Content",
    300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
    307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout",
    409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
    414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
    421: "Misdirected Request", 422: "Unprocessable Content", 425: "Too Early", 426: "Upgrade Required",
    428: "Precondition Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
    451: "Unavailable For Legal Reasons",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
    504: "Gateway Timeout", 505: "HTTP Version Not Supported", 511: "Network Authentication Required",
  ]
}
