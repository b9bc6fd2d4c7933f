import NetCore

/// The directives of a message's `Cache-Control` that a private cache knows; all others are ignored (RFC 9111, section
/// 5.2.3), and so are those for shared caches: `s-maxage`, `proxy-revalidate`.
struct CacheControl: Sendable, Hashable {
  /// Directives that have no argument, or whose argument changes nothing here.
  struct Flags: OptionSet, Sendable, Hashable {
    let rawValue: UInt16

    static let noStore = Flags(rawValue: 1 << 0)
    static let noCache = Flags(rawValue: 1 << 1)
    static let mustRevalidate = Flags(rawValue: 1 << 2)
    static let mustUnderstand = Flags(rawValue: 1 << 3)
    static let immutable = Flags(rawValue: 1 << 4)
    static let isPublic = Flags(rawValue: 1 << 5)
    static let isPrivate = Flags(rawValue: 1 << 6)
    static let onlyIfCached = Flags(rawValue: 1 << 7)
    /// `max-stale` without a limit.
    static let anyStale = Flags(rawValue: 1 << 8)
  }

  var flags: Flags = []
  /// The fields that `no-cache="…"` names.
  var noCacheFields: [HTTPField.Name] = []
  var maxAge = Seconds.none
  var minFresh = Seconds.none
  var maxStale = Seconds.none
  var staleWhileRevalidate = Seconds.none
  var staleIfError = Seconds.none

  /// Of a field list longer than this, none is read: the directive then counts for the whole response.
  static let maximumNames = 64

  /// The directives of all `Cache-Control` fields of a message.
  init(_ values: [String] = []) {
    for value in values {
      for directive in DirectiveParser(value) { add(directive) }
    }
  }

  private mutating func add(_ directive: DirectiveParser.Directive) {
    switch directive.name {
    case "no-store": flags.insert(.noStore)
    case "no-cache": addNoCache(directive)
    case "must-revalidate": flags.insert(.mustRevalidate)
    case "must-understand": flags.insert(.mustUnderstand)
    case "immutable": flags.insert(.immutable)
    case "public": flags.insert(.isPublic)
    case "private": flags.insert(.isPrivate)
    case "only-if-cached": flags.insert(.onlyIfCached)
    case "max-age": maxAge.add(directive)
    case "min-fresh": minFresh.add(directive)
    case "max-stale" where directive.argument == nil && !directive.isMalformed: flags.insert(.anyStale)
    case "max-stale": maxStale.add(directive)
    case "stale-while-revalidate": staleWhileRevalidate.add(directive)
    case "stale-if-error": staleIfError.add(directive)
    default: break
    }
  }

  /// With a list, only these fields must not be used unconfirmed (RFC 9111, section 5.2.2.4); a list that cannot be read
  /// counts for the whole response.
  private mutating func addNoCache(_ directive: DirectiveParser.Directive) {
    guard let argument = directive.argument, !directive.isMalformed else {
      flags.insert(.noCache)
      return
    }
    let texts = argument.split { $0 == "," || $0 == " " || $0 == "\t" }
    let names = texts.prefix(Self.maximumNames).compactMap { HTTPField.Name(String($0)) }
    if texts.isEmpty || names.count < texts.count { flags.insert(.noCache) } else { noCacheFields += names }
  }
}
