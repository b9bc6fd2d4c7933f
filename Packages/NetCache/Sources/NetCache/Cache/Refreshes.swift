import Synchronization

/// The background refreshes under way: one for each stored response, and so many in all.
final class Refreshes: Sendable {
  private struct Key: Hashable {
    let key: CacheKey
    let variant: String
  }

  private let limit: Int
  private let running = Mutex<Set<Key>>([])

  init(limit: Int) {
    self.limit = limit
  }

  /// Whether a refresh of `head` may start now. It is then under way until ``end(_:)``.
  func begin(_ head: StoredHead) -> Bool {
    running.withLock { $0.count < limit && $0.insert(Key(key: head.key, variant: head.variant)).inserted }
  }

  func end(_ head: StoredHead) {
    running.withLock { _ = $0.remove(Key(key: head.key, variant: head.variant)) }
  }
}
