import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keeps the cookies that servers set, and gives each request those that are meant for it (RFC 6265bis).
///
///     configuration.cookies = CookieJar(store: FileCookieStore(file: cookieFile))
///
/// A jar is one user's: use another one, or ``removeAll()``, for another account. Several clients may share it.
///
/// With a store it keeps cookies that have an expiry beyond its own life. It loads them when it is first used, and saves
/// them about a second after they changed; call ``save()`` before the process ends. A store that fails does not fail a
/// request: that is said once, and the jar goes on in memory.
///
/// It is no browser: it knows no sites, so that it refuses no third parties' cookies and does not enforce `SameSite`.
public final class CookieJar: Sendable {
  private let table: Mutex<CookieTable>
  /// Whether there is nothing to send.
  private let isEmpty = Atomic(true)
  private let archive: CookieArchive?
  private let publicSuffixes: PublicSuffixes
  private let limits: Limits
  private let timeSource: TimeSource

  /// A jar, empty or with what `store` has.
  ///
  /// - Parameters:
  ///   - store: Keeps cookies beyond the jar's life. Default: nobody does.
  ///   - publicSuffixes: The domains, such as `com`, that no cookie may be set for. Default: a short list of them.
  ///   - limits: How much the jar keeps and sends.
  ///   - timeSource: Where time comes from. Default: the machine's clocks.
  ///   - log: Where failures of the store are told. Default: the process's standard error.
  public init(
    store: (any CookieStore)? = nil, publicSuffixes: PublicSuffixes = .builtIn, limits: Limits = Limits(),
    timeSource: TimeSource = .system, log: any LogSink = StandardErrorSink()
  ) {
    table = Mutex(CookieTable(limits: limits))
    archive = store.map { CookieArchive(store: $0, timeSource: timeSource, log: log) }
    self.publicSuffixes = publicSuffixes
    self.limits = limits
    self.timeSource = timeSource
  }

  /// All cookies, the oldest first.
  public var all: [Cookie] {
    get async {
      try? await load()
      return change { table, now in
        table.removeExpired(at: now)
        return table.all
      }
    }
  }

  /// The cookies that a request for `url` carries, in that order. They count as used.
  public func cookies(for url: URL) async -> [Cookie] {
    try? await load()
    return loadedCookies(for: url)
  }

  /// Takes the cookies of a response's `Set-Cookie` fields, as far as the server of `url` may set them. The others are
  /// ignored, as RFC 6265bis says.
  ///
  ///     await jar.setCookies(from: ["Set-Cookie": "theme=dark; Path=/"], for: url)
  public func setCookies(from fields: HTTPFields, for url: URL) async {
    guard fields.contains(.setCookie) else { return }
    try? await load()
    setLoadedCookies(from: fields, for: url)
  }

  /// Removes the cookie of the same name, domain and path, also from the store.
  ///
  /// - Throws: What the store throws; `CancellationError` when the task is cancelled while the jar is being loaded.
  public func remove(_ cookie: Cookie) async throws {
    try await load()
    if change({ table, _ in table.remove(cookie) }) { archive?.noteChange() }
    try await save()
  }

  /// Removes all cookies, also from the store.
  ///
  /// - Throws: What the store throws; `CancellationError` when the task is cancelled while the jar is being loaded.
  public func removeAll() async throws {
    try await load()
    change { table, _ in table.removeAll() }
    archive?.noteChange()
    try await save()
  }

  /// Saves what has changed and is not saved yet: before the process ends, or the app goes to the background.
  ///
  /// - Throws: What the store throws.
  public func save() async throws {
    try await archive?.save { self.stored }
  }
}

extension CookieJar {
  /// Whether the store's cookies are there.
  var isLoaded: Bool { archive?.isLoaded ?? true }

  /// Makes sure that the store's cookies are there.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled. A store that fails counts as empty.
  func load() async throws {
    try await archive?.load { cookies in
      self.change { table, now in
        let valid = cookies.compactMap { Cookie(stored: $0, at: now, publicSuffixes: self.publicSuffixes) }
        for cookie in valid.suffix(max(self.limits.total, 0)) { table.restore(cookie) }
      }
    }
  }

  /// The Cookie field of a request for `url`, once the jar is loaded; `nil` when no cookie is meant for it.
  func field(for url: URL) -> HTTPField? {
    let cookies = loadedCookies(for: url)
    var bytes: [UInt8] = []
    for cookie in cookies {
      let pair = cookie.pair
      guard bytes.count + pair.count + 2 <= limits.fieldSize else { break }
      if !bytes.isEmpty { bytes += "; ".utf8 }
      bytes += pair
    }
    return bytes.isEmpty ? nil : HTTPField(name: .cookie, bytes: bytes)
  }

  /// Takes the cookies of a response, once the jar is loaded.
  func setLoadedCookies(from fields: HTTPFields, for url: URL) {
    guard fields.contains(.setCookie), let origin = CookieOrigin(url) else { return }
    let received = fields.lazy.filter { $0.name == .setCookie }.prefix(max(limits.perDomain, 0))
    let parsed = Array(received.compactMap { SetCookie($0.bytes) })
    let mustSave = change { table, now in
      let cookies = parsed.compactMap { Cookie($0, from: origin, at: now, publicSuffixes: publicSuffixes) }
      return cookies.reduce(false) { table.set($1, isSecureOrigin: origin.isSecure, at: now) || $0 }
    }
    if mustSave { archive?.noteChange { self.stored } }
  }

  private func loadedCookies(for url: URL) -> [Cookie] {
    guard !isEmpty.load(ordering: .relaxed), let origin = CookieOrigin(url) else { return [] }
    return change { table, now in table.cookies(for: origin, at: now) }
  }

  /// What a store is to keep.
  private var stored: [Cookie] {
    change { table, now in
      table.removeExpired(at: now)
      return table.all.filter { $0.expiry != nil }
    }
  }

  @discardableResult
  private func change<Result>(_ body: (inout CookieTable, Date) -> Result) -> Result {
    let now = timeSource.now
    return table.withLock { table in
      defer { isEmpty.store(table.count == 0, ordering: .relaxed) }
      return body(&table, now)
    }
  }
}

extension CookieJar: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// How many cookies it has: printing a jar leaks no secret.
  public var description: String {
    let (cookies, domains) = table.withLock { ($0.count, $0.domainCount) }
    return "cookies: \(cookies), domains: \(domains)\(archive == nil ? "" : ", stored")"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// No children: neither does dumping one.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
