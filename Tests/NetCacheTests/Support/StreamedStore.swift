import Foundation
import NetCore
import Synchronization

@testable import NetCache

/// A store in memory that gives no body along, and every body in chunks, as a disk's does; and that fails when it is told to.
final class StreamedStore: CacheStore {
  struct Failure: Error, CustomStringConvertible {
    let description = "the disk is full\u{1B}"
  }

  enum Step: CaseIterable {
    case lookup, body, insert, append, commit, update, remove
  }

  private let inner: MemoryCacheStore
  private let failing = Mutex<Set<Step>>([])

  init(limits: CacheLimits = roomyLimits) {
    inner = MemoryCacheStore(limits: limits)
  }

  var maximumBodySize: Int64 { inner.maximumBodySize }

  func fail(_ steps: Step...) {
    failing.withLock { $0 = Set(steps) }
  }

  private func check(_ step: Step) throws {
    if failing.withLock({ $0.contains(step) }) { throw Failure() }
  }

  func responses(for key: CacheKey) throws -> [StoredResponse] {
    try check(.lookup)
    return inner.responses(for: key).map { StoredResponse(id: $0.id, head: $0.head, length: $0.length) }
  }

  func body(of response: StoredResponse) throws -> HTTPResponse.Body? {
    try check(.body)
    guard let body = inner.responses(for: response.head.key).first(where: { $0.id == response.id })?.body else {
      return nil
    }
    return HTTPResponse.Body(length: Int64(body.count), source: Chunks(body))
  }

  func writer(for head: StoredHead, length: Int64?) throws -> any CacheWriter {
    try check(.insert)
    return Writer(store: self, inner: inner.writer(for: head, length: length))
  }

  func update(_ id: StoredResponse.ID, to head: StoredHead) throws {
    try check(.update)
    inner.update(id, to: head)
  }

  func remove(_ selection: CacheSelection) throws {
    try check(.remove)
    inner.remove(selection)
  }

  func info() -> CacheInfo { inner.info() }

  /// A part of a body, as the cache cuts it.
  static func cut(_ body: HTTPResponse.Body, to range: Range<Int64>) -> HTTPResponse.Body { body.cut(to: range) }

  private struct Writer: CacheWriter {
    let store: StreamedStore
    let inner: any CacheWriter

    func append(_ bytes: Data) async throws {
      try store.check(.append)
      try await inner.append(bytes)
    }

    func commit() async throws {
      try store.check(.commit)
      try await inner.commit()
    }

    func abandon() { inner.abandon() }
  }

  private final class Chunks: HTTPBodySource {
    private let rest: Mutex<Data>

    init(_ bytes: Data) { rest = Mutex(bytes) }

    var trailers: HTTPFields { [:] }

    func next() -> Data? {
      rest.withLock { rest in
        defer { rest = rest.dropFirst(3) }
        return rest.isEmpty ? nil : rest.prefix(3)
      }
    }

    func cancel() {}
  }
}
