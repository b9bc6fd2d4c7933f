extension HTTPRequest {
  /// A request method (RFC 9110, section 9): an open set of case-sensitive tokens.
  ///
  /// The common ones are statics; any other token is made with ``init(_:)``, or written as a literal:
  /// `let purge: HTTPRequest.Method = "PURGE"`.
  public struct Method: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The method as it stands on the wire, in the case it was given.
    public let rawValue: String

    /// A method from any token of RFC 9110, section 5.6.2; `nil` when `rawValue` is not one.
    ///
    /// A space, CR, LF or NUL is not a token character, so none reaches a request line.
    public init?(rawValue: String) {
      guard HTTPToken.isValid(rawValue) else { return nil }
      self.rawValue = rawValue
    }

    /// The same as ``init(rawValue:)``, without the label.
    public init?(_ rawValue: String) {
      self.init(rawValue: rawValue)
    }

    private init(unchecked rawValue: String) {
      self.rawValue = rawValue
    }

    /// The method as it stands on the wire.
    public var description: String { rawValue }
  }
}

extension HTTPRequest.Method: ExpressibleByStringLiteral {
  /// A method written as a literal. A literal that is not a token is a programmer's error and traps.
  public init(stringLiteral value: StaticString) {
    let text = String(describing: value)
    precondition(HTTPToken.isValid(text), "\"\(text)\" is not an HTTP method: use letters, digits and !#$%&'*+-.^_`|~")
    self.init(unchecked: text)
  }
}

extension HTTPRequest.Method {
  /// `CONNECT` (RFC 9110, section 9.3.6).
  public static let connect = Self(unchecked: "CONNECT")
  /// `DELETE` (RFC 9110, section 9.3.5).
  public static let delete = Self(unchecked: "DELETE")
  /// `GET` (RFC 9110, section 9.3.1).
  public static let get = Self(unchecked: "GET")
  /// `HEAD` (RFC 9110, section 9.3.2).
  public static let head = Self(unchecked: "HEAD")
  /// `OPTIONS` (RFC 9110, section 9.3.7).
  public static let options = Self(unchecked: "OPTIONS")
  /// `PATCH` (RFC 5789).
  public static let patch = Self(unchecked: "PATCH")
  /// `POST` (RFC 9110, section 9.3.3).
  public static let post = Self(unchecked: "POST")
  /// `PUT` (RFC 9110, section 9.3.4).
  public static let put = Self(unchecked: "PUT")
  /// `TRACE` (RFC 9110, section 9.3.8).
  public static let trace = Self(unchecked: "TRACE")

  /// Whether the method asks for no change on the server (RFC 9110, section 9.2.1): `GET`, `HEAD`, `OPTIONS`, `TRACE`.
  ///
  /// `false` for every method this kit does not know.
  public var isSafe: Bool {
    switch self {
    case .get, .head, .options, .trace: true
    default: false
    }
  }

  /// Whether sending the request twice is meant to do the same as once (RFC 9110, section 9.2.2): the safe ones, `PUT`
  /// and `DELETE`.
  ///
  /// `false` for every method this kit does not know, so that none of them is ever sent again unasked.
  public var isIdempotent: Bool {
    isSafe || self == .put || self == .delete
  }
}
