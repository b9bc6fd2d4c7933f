import Foundation
import NetCache
import NetCore
import NetTesting
import Synchronization
import Testing

/// Bodies that are stored while they are read.
@Suite(.timeLimit(.minutes(1))) struct CacheBodyTests {
  private let bench = Bench()
  private let body = ScriptedBody()

  private func serve(_ fields: HTTPFields = [.cacheControl: "max-age=60"]) {
    bench.server { [body] _, number in
      number == 1 ? HTTPResponse(fields: fields, body: body.body) : .text("second")
    }
  }

  private func read(_ body: HTTPResponse.Body) async throws -> String {
    String(decoding: try await body.collect(upTo: 1_000_000), as: UTF8.self)
  }

  @Test func `a body read to its end is stored, and not before`() async throws {
    serve()
    let response = try await bench.open()
    #expect(response.info.cache == .miss)
    var chunks = response.body.makeAsyncIterator()
    body.send("one ")
    #expect(try await chunks.next() == Data("one ".utf8))
    #expect(try await bench.cache.info().entries == 0)
    body.send("two")
    body.finish()
    #expect(try await chunks.next() == Data("two".utf8))
    #expect(try await chunks.next() == nil)
    let hit = try await bench.open()
    #expect(hit.info.cache == .hit(age: .zero))
    #expect(try await read(hit.body) == "one two")
  }

  @Test(arguments: ["stops", "drops", "breaks", "cancels"])
  func `section 3.3: half a body is never stored`(how: String) async throws {
    serve()
    do {
      let response = try await bench.open()
      var chunks = response.body.makeAsyncIterator()
      body.send("half")
      _ = try await chunks.next()
      switch how {
      case "stops": response.body.discard()
      case "breaks":
        body.fail(APIError.transport(.truncated))
        await #expect(throws: APIError.transport(.truncated)) { try await chunks.next() }
      case "cancels":
        let reader = Task { try await read(response.body) }
        reader.cancel()
        _ = await reader.result
        response.body.discard()
      default: break
      }
    }
    if how != "breaks" { await body.cancelled() }
    let second = try await bench.open()
    #expect(second.info.cache == .miss)
    #expect(try await read(second.body) == "second")
  }

  @Test func `a body is taken no faster than it is read`() async throws {
    let source = CountingSource()
    bench.server { _, _ in
      HTTPResponse(fields: [.cacheControl: "max-age=60"], body: .init(length: nil, source: source))
    }
    let response = try await bench.open()
    #expect(source.count == 0)
    var chunks = response.body.makeAsyncIterator()
    for number in 1...5 {
      _ = try await chunks.next()
      #expect(source.count == number)
    }
  }

  @Test(arguments: [nil, 2_000] as [Int64?])
  func `what is larger than the store takes is passed on and not stored`(length: Int64?) async throws {
    let store = MemoryCacheStore(limits: CacheLimits(bytes: 1_000_000, entries: 10, bodySize: 1_000))
    let bench = Bench(store: store)
    bench.server { _, _ in
      HTTPResponse(
        fields: [.cacheControl: "max-age=60"], body: .init(length: length, source: CountingSource(chunks: 20)))
    }
    #expect(try await bench.open().body.collect(upTo: 10_000).count == 2_000)
    #expect(store.info().entries == 0)
    bench.server([.cacheControl: "max-age=60"]) { _ in String(repeating: "x", count: 1_001) }
    _ = try await bench.get()
    #expect(store.info().entries == 0)
    #expect(bench.log.messages.isEmpty)
  }

  @Test func `what is cleared while a body is on its way is not stored by it`() async throws {
    serve()
    let response = try await bench.open()
    try await bench.cache.clear()
    body.send("old")
    body.finish()
    #expect(try await read(response.body) == "old")
    #expect(try await bench.cache.info().entries == 0)
  }

  @Test func `a trailer passes`() async throws {
    serve()
    let response = try await bench.open()
    body.finish(trailers: ["X-T": "1"])
    _ = try await read(response.body)
    #expect(response.body.trailers == ["X-T": "1"])
  }

  @Test func `section 4.3.2: who reads as it arrives has its own condition answered`() async throws {
    bench.server([.cacheControl: "max-age=60", .eTag: "\"a\"", .contentType: "text/plain"])
    _ = try await bench.get()
    let same = try await bench.open(.get, [.ifNoneMatch: "\"a\""])
    #expect(same.status == .notModified && same.info.cache == .hit(age: .zero))
    #expect(same.fields[.eTag] == "\"a\"" && same.fields[.contentLength] == nil)
    #expect(try await read(same.body) == "")
    let other = try await bench.open(.get, [.ifNoneMatch: "\"b\""])
    #expect(other.status == .ok)
    #expect(try await read(other.body) == "1")
    #expect(bench.transport.requests.count == 1)
  }

  @Test func `section 4.3.1: its condition goes out as it is, and its answer freshens what is stored`() async throws {
    bench.server([.cacheControl: "max-age=10", .eTag: "\"a\"", .lastModified: date(-9)])
    _ = try await bench.get()
    bench.clock.advance(by: .seconds(20))
    bench.server { request, _ in .status(.notModified, fields: [.eTag: request.fields[.ifNoneMatch] ?? ""]) }
    let other = try await bench.open(.get, [.ifNoneMatch: "\"b\""])
    #expect(other.status == .notModified && other.info.cache == .miss)
    #expect(bench.transport.requests[1].fields[.ifNoneMatch] == "\"b\"")
    #expect(bench.transport.requests[1].fields[.ifModifiedSince] == nil)
    let same = try await bench.open(.get, [.ifNoneMatch: "\"a\""])
    #expect(same.status == .notModified && same.info.cache == .revalidated)
    #expect(try await bench.get().info.cache == .hit(age: .zero))
  }

  @Test func `who waits for a value never sees a 304`() async throws {
    bench.server { request, _ in
      request.fields.contains(.ifNoneMatch)
        ? .status(.notModified) : .text("whole", fields: [.cacheControl: "max-age=60"])
    }
    #expect(try await bench.get([.ifNoneMatch: "\"mine\""]).value == "whole")
    #expect(try await bench.get([.ifNoneMatch: "\"mine\""]).value == "whole")
    #expect(bench.transport.requests.count == 1)
  }

  @Test(
    arguments: [
      ("bytes=2-4", 206, "cde", "bytes 2-4/10", 1), ("bytes=-2", 206, "ij", "bytes 8-9/10", 1),
      ("bytes=7-", 206, "hij", "bytes 7-9/10", 1), ("bytes=0-99", 206, "abcdefghij", "bytes 0-9/10", 1),
      ("bytes=20-", 206, "network", nil, 2), ("bytes=0-1,3-4", 206, "network", nil, 2),
    ] as [(String, Int, String, String?, Int)])
  func `RFC 9110, section 14: a part is cut from what is stored, or asked for`(
    range: String, status: Int, text: String, contentRange: String?, requests: Int
  ) async throws {
    bench.server { request, _ in
      request.fields.contains(.range)
        ? .text("network", status: 206) : .text("abcdefghij", fields: [.cacheControl: "max-age=60"])
    }
    _ = try await bench.get()
    let response = try await bench.open(.get, [.range: range])
    #expect(response.status.code == status)
    #expect(try await read(response.body) == text)
    #expect(response.fields[.contentRange] == contentRange)
    #expect(response.fields[.contentLength] == "\(text.utf8.count)")
    #expect(bench.transport.requests.count == requests)
    // The whole is still the whole.
    #expect(try await bench.get().value == "abcdefghij")
  }

  @Test func `a part is cut from a body that streams`() async throws {
    let body = HTTPResponse.Body(length: 50, source: CountingSource(chunks: 5, size: 10))
    let cut = StreamedStore.cut(body, to: 15..<38)
    #expect(try await cut.collect(upTo: 100) == Data((0..<50).map { UInt8($0 / 10 + 1) })[15..<38])
  }

  @Test func `section 3.3: a stale whole is not asked about for a part`() async throws {
    bench.server([.cacheControl: "max-age=1", .eTag: "\"a\""])
    _ = try await bench.get()
    bench.clock.advance(by: .seconds(5))
    bench.server { _, _ in .text("part", status: 206) }
    let response = try await bench.open(.get, [.range: "bytes=0-0"])
    #expect(response.status == .partialContent)
    #expect(bench.transport.requests[1].fields[.ifNoneMatch] == nil)
    #expect(try await bench.cache.info().entries == 1)
  }
}

/// Gives chunks of equal bytes, each of its number, and counts them.
final class CountingSource: HTTPBodySource {
  private let chunks: Int
  private let size: Int
  private let given = Mutex(0)

  init(chunks: Int = .max, size: Int = 100) {
    self.chunks = chunks
    self.size = size
  }

  var count: Int { given.withLock { $0 } }
  var trailers: HTTPFields { [:] }

  func next() -> Data? {
    given.withLock { given in
      guard given < chunks else { return nil }
      given += 1
      return Data(repeating: UInt8(truncatingIfNeeded: given), count: size)
    }
  }

  func cancel() {}
}
