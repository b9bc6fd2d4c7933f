#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The cookies of a jar, by domain: what RFC 6265bis calls the cookie store. A value, and never larger than its limits.
struct CookieTable {
  private struct Entry {
    var cookie: Cookie
    /// Counts the insertions: what was set later comes later, also within one moment of the clock.
    let number: Int
  }

  private let limits: CookieJar.Limits
  private var domains: [String: [Entry]] = [:]
  private var lastNumber = 0
  /// When the first cookie ends; never later than it does.
  private var nextExpiry = Date.distantFuture
  /// How many cookies there are.
  private(set) var count = 0

  init(limits: CookieJar.Limits) {
    self.limits = limits
  }

  /// How many domains have cookies.
  var domainCount: Int { domains.count }

  /// All cookies, the oldest first.
  var all: [Cookie] {
    domains.values.joined().sorted(by: Self.isOlder).map(\.cookie)
  }

  /// Sets a cookie, in place of one of the same name, domain and path, which it ends if it has expired itself (RFC 6265bis,
  /// section 5.7, from step 16). A connection that is not secure leaves a secure cookie alone.
  ///
  /// - Returns: Whether a cookie was set or removed that outlives the jar.
  mutating func set(_ cookie: Cookie, isSecureOrigin: Bool, at now: Date) -> Bool {
    removeExpired(at: now)
    guard isSecureOrigin || cookie.isSecure || !coversSecureCookie(cookie) else { return false }
    let old = take(cookie)
    guard !cookie.hasExpired(at: now) else { return old?.cookie.expiry != nil }
    var new = cookie
    if let old { new.creation = old.cookie.creation }
    insert(new, number: old?.number)
    removeExcess(of: new.domain)
    return new.expiry != nil || old?.cookie.expiry != nil
  }

  /// Adds a cookie of a store, unless one was set in its place.
  mutating func restore(_ cookie: Cookie) {
    guard domains[cookie.domain]?.contains(where: { $0.cookie.hasSameIdentity(as: cookie) }) != true else { return }
    insert(cookie, number: nil)
    removeExcess(of: cookie.domain)
  }

  /// Removes a cookie; whether it was there.
  mutating func remove(_ cookie: Cookie) -> Bool {
    take(cookie) != nil
  }

  /// Removes all cookies.
  mutating func removeAll() {
    self = CookieTable(limits: limits)
  }

  /// The cookies for a request, in the order in which it carries them: the longest paths first, then the oldest (RFC
  /// 6265bis, section 5.8.3). They count as used.
  mutating func cookies(for origin: CookieOrigin, at now: Date) -> [Cookie] {
    removeExpired(at: now)
    var found: [Entry] = []
    for domain in Self.domains(of: origin) {
      guard let index = domains.index(forKey: domain) else { continue }
      for place in domains.values[index].indices where domains.values[index][place].cookie.isMeant(for: origin) {
        domains.values[index][place].cookie.lastAccess = now
        found.append(domains.values[index][place])
      }
    }
    found.sort { one, other in
      let (length, otherLength) = (one.cookie.path.utf8.count, other.cookie.path.utf8.count)
      return length == otherLength ? Self.isOlder(one, other) : length > otherLength
    }
    return found.map(\.cookie)
  }

  /// Removes what has ended at `now`.
  mutating func removeExpired(at now: Date) {
    guard now >= nextExpiry else { return }
    nextExpiry = .distantFuture
    for (domain, entries) in domains {
      let alive = entries.filter { !$0.cookie.hasExpired(at: now) }
      count -= entries.count - alive.count
      domains[domain] = alive.isEmpty ? nil : alive
      nextExpiry = alive.lazy.compactMap(\.cookie.expiry).reduce(nextExpiry, min)
    }
  }
}

extension CookieTable {
  private mutating func insert(_ cookie: Cookie, number: Int?) {
    lastNumber += 1
    domains[cookie.domain, default: []].append(Entry(cookie: cookie, number: number ?? lastNumber))
    count += 1
    if let expiry = cookie.expiry { nextExpiry = min(nextExpiry, expiry) }
  }

  /// Takes the cookie away that has the name, domain and path of `cookie`.
  private mutating func take(_ cookie: Cookie) -> Entry? {
    guard let place = domains[cookie.domain]?.firstIndex(where: { $0.cookie.hasSameIdentity(as: cookie) }) else {
      return nil
    }
    return removeEntry(at: place, of: cookie.domain)
  }

  private mutating func removeEntry(at place: Int, of domain: String) -> Entry? {
    let entry = domains[domain]?.remove(at: place)
    if domains[domain]?.isEmpty == true { domains[domain] = nil }
    count -= 1
    return entry
  }

  /// Whether a secure cookie of the same name would be sent with requests that get `cookie`.
  private func coversSecureCookie(_ cookie: Cookie) -> Bool {
    domains.contains { domain, entries in
      (CookieDomain.matches(domain, cookie.domain) || CookieDomain.matches(cookie.domain, domain))
        && entries.contains { entry in
          entry.cookie.isSecure && entry.cookie.hasSameName(as: cookie)
            && CookiePath.matches(cookie.path, entry.cookie.path)
        }
    }
  }

  /// Removes cookies beyond the limits: of a domain with too many first those that are not secure, then any of it; then
  /// any at all; among equals the one that was used least recently.
  private mutating func removeExcess(of domain: String) {
    while let entries = domains[domain], entries.count > limits.perDomain {
      let place = entries.indices.min { one, other in
        let (isSecure, isOtherSecure) = (entries[one].cookie.isSecure, entries[other].cookie.isSecure)
        return isSecure == isOtherSecure ? Self.isStaler(entries[one], entries[other]) : isOtherSecure
      }
      guard let place else { return }
      _ = removeEntry(at: place, of: domain)
    }
    while count > limits.total, let (domain, place) = stalest { _ = removeEntry(at: place, of: domain) }
  }

  /// Where the cookie is that was used least recently.
  private var stalest: (domain: String, place: Int)? {
    var stalest: (domain: String, place: Int, age: (Date, Int))?
    for (domain, entries) in domains {
      for place in entries.indices {
        let age = (entries[place].cookie.lastAccess, entries[place].number)
        if stalest.map({ age < $0.age }) ?? true { stalest = (domain, place, age) }
      }
    }
    return stalest.map { ($0.domain, $0.place) }
  }

  private static func isOlder(_ one: Entry, _ other: Entry) -> Bool {
    (one.cookie.creation, one.number) < (other.cookie.creation, other.number)
  }

  private static func isStaler(_ one: Entry, _ other: Entry) -> Bool {
    (one.cookie.lastAccess, one.number) < (other.cookie.lastAccess, other.number)
  }

  /// The domains whose cookies may be meant for a host: itself and those above it.
  private static func domains(of origin: CookieOrigin) -> [String] {
    var domains = [origin.host]
    guard !origin.isIPAddress else { return domains }
    var rest = origin.host[...]
    while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
      rest = rest[rest.utf8.index(after: dot)...]
      domains.append(String(rest))
    }
    return domains
  }
}

extension Cookie {
  /// Whether a request to `origin`, which is the cookie's domain or below it, carries the cookie.
  fileprivate func isMeant(for origin: CookieOrigin) -> Bool {
    (!isHostOnly || domain == origin.host) && (!isSecure || origin.isSecure) && CookiePath.matches(origin.path, path)
  }
}
