public import NetCore
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A private cache of HTTP responses (RFC 9111), for one client or several.
///
///     let cache = HTTPCache()                         // in memory
///     configuration.cache = cache
///     try await cache.clear(scope: CredentialScope("ann"))   // when Ann signs out
///
/// It keeps what servers allow to be kept, answers with it while it is fresh, and asks the server whether it is still good
/// when it is not. What a call wants of it is the call's ``/NetCore/CacheMode``; what it did is in
/// ``/NetCore/ExchangeInfo/cache``.
///
/// Responses are kept apart by credential scope: two accounts never see each other's. A store that fails costs a call its
/// speed, never its answer.
public final class HTTPCache: HTTPCaching {
  /// Where responses are kept.
  public let store: any CacheStore
  /// What the cache may do where the RFCs leave a choice.
  public let policy: CachePolicy
  let refreshTimeout: Duration
  let fetches = Fetches()
  let refreshes: Refreshes
  private let log: any LogSink
  private let hasFailed = Atomic(false)

  /// A cache.
  ///
  /// - Parameters:
  ///   - store: Where responses are kept. Default: in memory.
  ///   - policy: What it may do where the RFCs leave a choice.
  ///   - maximumRefreshes: How many responses are refreshed in the background at the same time. Default: 16. For any more the
  ///     stale response is used, and the next call tries again.
  ///   - refreshTimeout: How long such a refresh may take. Default: 30 seconds.
  ///   - log: Is told in one line, once, when the store fails.
  public init(
    store: any CacheStore = MemoryCacheStore(), policy: CachePolicy = CachePolicy(), maximumRefreshes: Int = 16,
    refreshTimeout: Duration = .seconds(30), log: any LogSink = HTTPLog.defaultSink
  ) {
    self.store = store
    self.policy = policy
    self.refreshTimeout = refreshTimeout
    self.log = log
    refreshes = Refreshes(limit: maximumRefreshes)
  }

  /// The stage of a client's pipeline.
  public func stage(in client: ClientServices) -> any HTTPMiddleware {
    CacheStage(cache: self, client: client)
  }

  /// How much is stored.
  ///
  /// - Throws: What the store throws.
  public func info() async throws -> CacheInfo {
    try await store.info()
  }
}

extension HTTPCache {
  /// Removes everything. What is on its way is not stored.
  ///
  /// - Throws: What the store throws.
  public func clear() async throws {
    try await remove(.all) { _ in true }
  }

  /// Removes the responses of a URL, of all variants and whosever they are. What is on its way is not stored.
  ///
  /// - Throws: What the store throws.
  public func clear(url: URL) async throws {
    let text = CacheKey.text(of: url)
    try await remove(.url(text)) { $0.url == text }
  }

  /// Removes the responses of all URLs that begin with the text of this one: `https://h/users/` means all below, and
  /// `https://h/users` also `https://h/users2`. What is on its way is not stored.
  ///
  /// - Throws: What the store throws.
  public func clear(prefix: URL) async throws {
    let text = CacheKey.text(of: prefix)
    try await remove(.prefix(text)) { $0.url.utf8.starts(with: text.utf8) }
  }

  /// Removes the responses to requests with these credentials: what an app does when the user has signed out. What is on
  /// its way is not stored.
  ///
  /// - Throws: What the store throws.
  public func clear(scope: CredentialScope) async throws {
    let partition = CacheKey.partition(of: scope)
    try await remove(.partition(partition)) { $0.partition == partition }
  }

  private func remove(_ selection: CacheSelection, _ isMeant: (CacheKey) -> Bool) async throws {
    fetches.invalidate(where: isMeant)
    try await store.remove(selection)
  }
}

extension HTTPCache {
  /// What `operation` of the store brings; `nil` when it fails, which is logged once.
  func attempt<Value>(_ operation: () async throws -> Value) async -> Value? {
    do {
      return try await operation()
    } catch {
      note(error)
      return nil
    }
  }

  /// Says once that the store fails. A caller that leaves is no failure of the store.
  func note(_ error: any Error) {
    guard !(error is CancellationError), !hasFailed.exchange(true, ordering: .relaxed) else { return }
    let reason = String("\(error)".unicodeScalars.prefix(300).filter { $0.value >= 0x20 && $0.value != 0x7F })
    log.write("The HTTP cache's store failed, and calls go on without it: \(reason)", level: .warning)
  }
}

extension HTTPCache: CustomStringConvertible {
  /// The store's type: printing a cache shows nothing of what is in it.
  public var description: String { "HTTPCache(\(type(of: store)))" }
}
