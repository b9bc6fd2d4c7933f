import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A response that is to be stored, unless it is removed from the cache before it is there.
struct NewEntry: Sendable {
  let cache: HTTPCache
  let head: StoredHead
  let fetch: Fetch

  /// Stores the response with its body.
  func insert(_ body: Data) async {
    guard fetch.isValid else { return }
    _ = await cache.attempt { try await cache.store.insert(head, body: body) }
    await retractIfInvalid()
  }

  /// Starts to store the response; `nil` when the store fails.
  func writer(length: Int64?) async -> (any CacheWriter)? {
    await cache.attempt { try await cache.store.writer(for: head, length: length) }
  }

  /// Ends the storing of a body that has come whole.
  func commit(_ writer: any CacheWriter) async {
    guard fetch.isValid else { return writer.abandon() }
    if await cache.attempt({ try await writer.commit() }) == nil { writer.abandon() }
    await retractIfInvalid()
  }

  /// Whoever removed responses while this one was written has not removed it.
  private func retractIfInvalid() async {
    guard !fetch.isValid else { return }
    _ = await cache.attempt { try await cache.store.remove(.url(head.key.url)) }
  }
}
