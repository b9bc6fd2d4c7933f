import Foundation
import NetCache
import NetCacheSQLite
import NetCore
import TestSupport

/// A disk store whose folder goes with it.
struct TemporaryDiskStore: CacheStore {
  let folder: TemporaryFolder
  let inner: SQLiteCacheStore

  init(limits: CacheLimits = roomyLimits) throws {
    folder = try TemporaryFolder()
    inner = SQLiteCacheStore(folder: folder.path("cache"), limits: limits)
  }

  var maximumBodySize: Int64 { inner.maximumBodySize }
  func responses(for key: CacheKey) async throws -> [StoredResponse] { try await inner.responses(for: key) }
  func body(of response: StoredResponse) async throws -> HTTPResponse.Body? { try await inner.body(of: response) }
  func writer(for head: StoredHead, length: Int64?) async throws -> any CacheWriter {
    try await inner.writer(for: head, length: length)
  }
  func insert(_ head: StoredHead, body: Data) async throws { try await inner.insert(head, body: body) }
  func update(_ id: StoredResponse.ID, to head: StoredHead) async throws { try await inner.update(id, to: head) }
  func remove(_ selection: CacheSelection) async throws { try await inner.remove(selection) }
  func info() async throws -> CacheInfo { try await inner.info() }
}
