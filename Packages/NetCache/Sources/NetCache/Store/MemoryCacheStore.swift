public import NetCore
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keeps responses in memory, until the process ends.
///
///     configuration.cache = HTTPCache(store: MemoryCacheStore())
///
/// A body stays as the bytes it came as; serving it copies nothing.
public final class MemoryCacheStore: CacheStore {
  /// How much is kept.
  public let limits: CacheLimits
  private let table: Mutex<MemoryTable>

  /// An empty store.
  ///
  /// - Parameter limits: How much is kept. Default: 64 MB and 100,000 responses, of which none has more than 8 MB.
  public init(limits: CacheLimits = CacheLimits(bytes: 64_000_000, entries: 100_000)) {
    self.limits = limits
    table = Mutex(MemoryTable(limits))
  }

  /// ``CacheLimits/bodySize``.
  public var maximumBodySize: Int64 { limits.bodySize }

  /// All variants stored for `key`, with their bodies.
  public func responses(for key: CacheKey) -> [StoredResponse] {
    table.withLock { $0.responses(for: key) }
  }

  /// The body that came with `response`.
  public func body(of response: StoredResponse) -> HTTPResponse.Body? {
    response.body.map { HTTPResponse.Body($0) }
  }

  /// Collects a body, up to ``maximumBodySize``.
  public func writer(for head: StoredHead, length: Int64?) -> any CacheWriter {
    MemoryCacheWriter(head, length: length, in: self)
  }

  /// Stores a response.
  public func insert(_ head: StoredHead, body: Data) {
    guard body.count <= limits.bodySize else { return }
    table.withLock { $0.insert(head, body: body) }
  }

  /// Replaces the head of the response called `id`.
  public func update(_ id: StoredResponse.ID, to head: StoredHead) {
    table.withLock { $0.update(id, to: head) }
  }

  /// Removes what `selection` names.
  public func remove(_ selection: CacheSelection) {
    table.withLock { $0.remove(selection) }
  }

  /// How much is stored.
  public func info() -> CacheInfo {
    table.withLock { CacheInfo(entries: $0.entries, bytes: $0.bytes) }
  }
}

/// Collects a body for a memory store.
private final class MemoryCacheWriter: CacheWriter {
  private let head: StoredHead
  private let store: MemoryCacheStore
  /// What has come; `nil` once it was committed, abandoned, or too long.
  private let bytes: Mutex<Data?>

  init(_ head: StoredHead, length: Int64?, in store: MemoryCacheStore) {
    self.head = head
    self.store = store
    // The announced length is a hint that a server chose: room for a little, the rest grows with what comes.
    var data = Data()
    data.reserveCapacity(Int(min(length ?? 0, 65_536, store.maximumBodySize)))
    bytes = Mutex(data)
  }

  func append(_ chunk: Data) {
    bytes.withLock { bytes in
      guard let count = bytes?.count else { return }
      if Int64(count + chunk.count) <= store.maximumBodySize { bytes?.append(chunk) } else { bytes = nil }
    }
  }

  func commit() {
    let body = bytes.withLock { bytes in
      defer { bytes = nil }
      return bytes
    }
    if let body { store.insert(head, body: body) }
  }

  func abandon() {
    bytes.withLock { $0 = nil }
  }
}
