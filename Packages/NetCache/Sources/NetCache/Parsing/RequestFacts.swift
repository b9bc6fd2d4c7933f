import NetCore

/// What a request's fields say about using stored responses, parsed once, together with the mode of its call.
struct RequestFacts: Sendable {
  let method: HTTPRequest.Method
  let mode: CacheMode
  /// Whether the request has content, which a key does not know.
  let hasContent: Bool
  private(set) var control = CacheControl()
  private(set) var authorization: String?
  private(set) var range: String?
  private(set) var ifRange: String?
  private(set) var ifNoneMatch: String?
  private(set) var ifModifiedSince: String?
  /// Whether the request has a condition that a cache must not judge (RFC 9111, section 4.3.2).
  private(set) var hasServerCondition = false

  init(_ request: HTTPRequest, mode: CacheMode) {
    method = request.method
    self.mode = mode
    hasContent = !request.body.isEmpty
    var cacheControl: [String] = []
    var pragma: String?
    for field in request.fields where Self.mayMatter(field.name) {
      switch field.name {
      case .cacheControl: cacheControl.append(field.value)
      case .authorization: authorization = field.value
      case .range: range = field.value
      case .ifRange: ifRange = field.value
      case .ifNoneMatch: ifNoneMatch = ifNoneMatch.map { $0 + ", " + field.value } ?? field.value
      case .ifModifiedSince: ifModifiedSince = field.value
      case .ifMatch, .ifUnmodifiedSince: hasServerCondition = true
      case .pragma: pragma = field.value
      default: break
      }
    }
    if !cacheControl.isEmpty {
      control = CacheControl(cacheControl)
    } else if let pragma {
      // For requests of HTTP/1.0 only; in responses it means nothing (RFC 9111, section 5.4).
      control.flags = CacheControl([pragma]).flags.intersection(.noCache)
    }
  }

  /// Whether a name may be one of those above: most are told apart by their length, without comparing texts.
  private static func mayMatter(_ name: HTTPField.Name) -> Bool {
    switch name.canonicalName.utf8.count {
    case 5, 6, 8, 13, 17, 19: true
    default: false
    }
  }

  /// Whether the request has a condition of the caller's own that a cache can judge.
  var hasCondition: Bool { ifNoneMatch != nil || ifModifiedSince != nil }

  /// Whether nothing is used and nothing kept.
  var isNoStore: Bool { mode == .noStore || control.flags.contains(.noStore) }

  /// Whether a stored response is used only after the server confirmed it.
  var isNoCache: Bool { mode == .noCache || mode == .reload || control.flags.contains(.noCache) }

  /// Whether the network is not asked.
  var isOnlyIfCached: Bool { mode == .onlyIfCached || control.flags.contains(.onlyIfCached) }

  /// Whether a stored response is used whatever its age.
  var acceptsAnyAge: Bool {
    mode == .forceCache || mode == .onlyIfCached || control.flags.contains(.anyStale)
  }

  /// The greatest age the caller accepts in seconds; an argument that says nothing accepts none.
  var maximumAge: Double? { control.maxAge == .invalid ? 0 : control.maxAge.value }

  /// How long the response must stay fresh in seconds; an argument that says nothing asks for ever.
  var minimumFreshness: Double { control.minFresh == .invalid ? .infinity : control.minFresh.value ?? 0 }
}

extension HTTPField.Name {
  static let ifUnmodifiedSince: HTTPField.Name = "If-Unmodified-Since"
  static let pragma: HTTPField.Name = "Pragma"
}
