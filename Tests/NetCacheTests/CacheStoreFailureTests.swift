import Foundation
import NetCache
import NetCore
import NetTesting
import Testing

/// A store that streams, and one that fails: calls succeed all the same.
@Suite(.timeLimit(.minutes(1))) struct CacheStoreFailureTests {
  private let store = StreamedStore()

  @Test func `a store that streams serves both kinds of callers`() async throws {
    let bench = Bench(store: store)
    bench.server([.cacheControl: "max-age=60", .eTag: "\"a\""]) { _ in "abcdefghij" }
    _ = try await bench.get()
    #expect(try await bench.get().value == "abcdefghij")
    #expect(try await bench.open().body.collect(upTo: 100) == Data("abcdefghij".utf8))
    #expect(try await bench.open(.get, [.range: "bytes=2-7"]).body.collect(upTo: 100) == Data("cdefgh".utf8))
    #expect(try await bench.get([.range: "bytes=-3"]).value == "hij")
    #expect(bench.transport.requests.count == 1)
    await #expect(throws: APIError.tooLarge) {
      try await Bench(store: store) { $0.maximumBodySize = 5 }.get()
    }
  }

  @Test(arguments: StreamedStore.Step.allCases)
  func `whatever fails, calls succeed, and it is said once`(step: StreamedStore.Step) async throws {
    let bench = Bench(store: store)
    bench.server([.cacheControl: "max-age=60", .eTag: "\"a\""])
    if step != .insert, step != .append, step != .commit { _ = try await bench.get() }
    store.fail(step)
    for _ in 0..<3 {
      #expect(try await bench.get().status == .ok)
      #expect(try await bench.open().body.collect(upTo: 100).count >= 1)
    }
    bench.server { request, _ in
      request.fields.contains(.ifNoneMatch)
        ? .status(.notModified) : .text("new", fields: [.cacheControl: "max-age=60"])
    }
    for _ in 0..<3 { #expect(try await bench.get(mode: .noCache).status == .ok) }
    #expect(try await bench.send(.post).status == .ok)
    #expect(bench.log.messages == ["The HTTP cache's store failed, and calls go on without it: the disk is full"])
  }

  @Test func `what a caller asks the cache for itself is told to it`() async throws {
    let bench = Bench(store: store)
    store.fail(.remove)
    await #expect(throws: StreamedStore.Failure.self) { try await bench.cache.clear() }
  }

  @Test func `a response that is gone when its body is wanted is asked for`() async throws {
    let bench = Bench(store: VanishingStore())
    bench.server([.cacheControl: "max-age=60"])
    #expect(try await bench.get().value == "1")
    #expect(try await bench.get().value == "2")
    #expect(try await bench.get(mode: .onlyIfCached).status == .gatewayTimeout)
  }

  @Test func `a confirmed response that is gone is asked for whole`() async throws {
    let bench = Bench(store: VanishingStore())
    bench.server { request, number in
      request.fields.contains(.ifNoneMatch)
        ? .status(.notModified) : .text("\(number)", fields: [.cacheControl: "no-cache", .eTag: "\"a\""])
    }
    #expect(try await bench.get().value == "1")
    let reply = try await bench.get()
    #expect(reply.value == "3" && reply.info.cache == .miss && reply.info.attempts == 2)
  }
}

/// A store whose responses have no body when it is asked for, as if they had just been evicted.
private struct VanishingStore: CacheStore {
  let inner = StreamedStore()

  var maximumBodySize: Int64 { inner.maximumBodySize }
  func responses(for key: CacheKey) throws -> [StoredResponse] { try inner.responses(for: key) }
  func body(of response: StoredResponse) -> HTTPResponse.Body? { nil }
  func writer(for head: StoredHead, length: Int64?) throws -> any CacheWriter {
    try inner.writer(for: head, length: length)
  }
  func update(_ id: StoredResponse.ID, to head: StoredHead) throws { try inner.update(id, to: head) }
  func remove(_ selection: CacheSelection) throws { try inner.remove(selection) }
  func info() -> CacheInfo { inner.info() }
}
