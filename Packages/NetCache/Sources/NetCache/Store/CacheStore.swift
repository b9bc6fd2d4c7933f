public import NetCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Where a cache keeps responses. It knows nothing of HTTP's rules: it stores what it is given, finds it by key, and makes
/// room by forgetting what was not used for longest.
///
/// All functions may be called from any task at the same time. An error means "not now": the cache then answers from the
/// network, so that a store that fails costs speed and never a request. What a store must hold to:
///
/// - ``responses(for:)`` gives every variant of a key that was committed and neither replaced, removed nor evicted since,
///   in any order. A lookup counts as a use.
/// - What a ``CacheWriter`` writes is seen by nobody before its commit, and whole after it, also when the process is killed
///   in between. A commit replaces the response of the same key and the same ``StoredHead/variant``, under a new number.
/// - A number is never given twice, so that whoever holds an old one changes nothing of its successor.
/// - The limits hold after every commit: the least recently used keys go first, of one key the variants that were stored
///   first.
/// - A body that is being read goes on to its end or throws when its response is replaced or removed meanwhile; it never
///   goes on with other bytes, and never ends early as if it were whole. What it throws is ``/NetCore/APIError``, kind
///   `transport(.truncated)`, as for a response that breaks off.
public protocol CacheStore: Sendable {
  /// The most bytes of one body. The cache offers no longer one, and gives up a body that turns out to be longer.
  var maximumBodySize: Int64 { get }

  /// All variants stored for `key`; small bodies may come along (``StoredResponse/body``), others are read later.
  func responses(for key: CacheKey) async throws -> [StoredResponse]

  /// The body of `response`, to be read lazily; `nil` when it is no longer stored.
  func body(of response: StoredResponse) async throws -> HTTPResponse.Body?

  /// Starts to store a response whose body is on its way; `length` is its announced length in bytes, when there is one.
  func writer(for head: StoredHead, length: Int64?) async throws -> any CacheWriter

  /// Stores a response whose body is in memory: the same as a writer with one append and the commit.
  func insert(_ head: StoredHead, body: Data) async throws

  /// Replaces the fields and times of the response called `id`; its body, key and variant stay. Does nothing when it is no
  /// longer stored.
  func update(_ id: StoredResponse.ID, to head: StoredHead) async throws

  /// Removes what `selection` names. What is on its way to the store is not touched: the cache sees to that.
  ///
  /// It is done even if the task that asks is cancelled: a change on the server that invalidates a response has happened.
  func remove(_ selection: CacheSelection) async throws

  /// How much is stored.
  func info() async throws -> CacheInfo
}

extension CacheStore {
  /// Stores by ``writer(for:length:)``.
  public func insert(_ head: StoredHead, body: Data) async throws {
    let writer = try await writer(for: head, length: Int64(body.count))
    do {
      if !body.isEmpty { try await writer.append(body) }
      try await writer.commit()
    } catch {
      writer.abandon()
      throw error
    }
  }
}
