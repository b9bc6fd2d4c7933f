import Foundation
import NetCache
import NetCore
import Testing

/// What every `CacheStore` holds to.
@Suite(.timeLimit(.minutes(1))) struct StoreConformanceTests {
  @Test(arguments: StoreUnderTest.all)
  func `an empty store has nothing`(kind: StoreUnderTest) async throws {
    let store = try await kind.make(roomyLimits)
    #expect(try await store.urls("https://a/1").isEmpty)
    #expect(try await store.info() == CacheInfo(entries: 0, bytes: 0))
  }

  @Test(arguments: StoreUnderTest.all)
  func `what was stored comes back unchanged`(kind: StoreUnderTest) async throws {
    let store = try await kind.make(roomyLimits)
    var fields: HTTPFields = ["X-A": "1", "x-b": "", "X-A": "2", .eTag: "\"ü\"", .contentType: "text/plain"]
    fields.append(HTTPField(name: "X-Latin", bytes: [0x66, 0xFC, 0x72])!)
    let sent = StoredHead(
      key: CacheKey(partition: "scope:ann", url: "https://a/1?q=%2B"), variant: "abc", status: 299, fields: fields,
      requestTime: start + 0.125, responseTime: start + 1.5)
    try await store.insert(sent, body: Data([0, 1, 0xFF]))
    let (found, body) = try await store.only("https://a/1?q=%2B", partition: "scope:ann")
    #expect(found.head.key == sent.key)
    #expect(found.head.variant == "abc")
    #expect(found.head.status == 299)
    #expect(found.head.fields == fields)
    #expect(found.head.fields.map(\.name.rawName) == fields.map(\.name.rawName))
    #expect(found.head.requestTime == start + 0.125)
    #expect(found.head.responseTime == start + 1.5)
    #expect(found.length == 3)
    #expect(body == Data([0, 1, 0xFF]))
  }

  @Test(arguments: StoreUnderTest.all, [0, 1, 4_095, 70_000, 1_000_000])
  func `a body of any size comes back`(kind: StoreUnderTest, size: Int) async throws {
    let store = try await kind.make(roomyLimits)
    let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    let writer = try await store.writer(for: head("https://a/1"), length: nil)
    for start in stride(from: 0, to: size, by: 10_000) {
      try await writer.append(bytes[start..<min(size, start + 10_000)])
    }
    try await writer.commit()
    let (found, body) = try await store.only("https://a/1")
    #expect(found.length == Int64(size))
    #expect(body == bytes)
  }

  @Test(arguments: StoreUnderTest.all)
  func `nobody sees a response before its commit`(kind: StoreUnderTest) async throws {
    let store = try await kind.make(roomyLimits)
    let writer = try await store.writer(for: head("https://a/1"), length: 4)
    try await writer.append(Data("body".utf8))
    #expect(try await store.urls("https://a/1").isEmpty)
    try await writer.commit()
    writer.abandon()
    #expect(try await store.urls("https://a/1") == ["https://a/1"])
  }

  @Test(arguments: StoreUnderTest.all, [true, false])
  func `what is abandoned or dropped is never seen, and counts for nothing`(
    kind: StoreUnderTest, isDropped: Bool
  ) async throws {
    let store = try await kind.make(roomyLimits)
    do {
      let writer = try await store.writer(for: head("https://a/1"), length: nil)
      try await writer.append(Data(repeating: 1, count: 100_000))
      if !isDropped {
        writer.abandon()
        writer.abandon()
      }
    }
    #expect(try await store.urls("https://a/1").isEmpty)
    #expect(try await store.info().entries == 0)
  }

  @Test(arguments: StoreUnderTest.all)
  func `a writer at work leaves the old response readable`(kind: StoreUnderTest) async throws {
    let store = try await kind.make(roomyLimits)
    try await store.insert(head("https://a/1"), body: Data("old".utf8))
    let writer = try await store.writer(for: head("https://a/1"), length: nil)
    try await writer.append(Data("new".utf8))
    #expect(try await store.only("https://a/1").1 == Data("old".utf8))
    try await writer.commit()
    #expect(try await store.only("https://a/1").1 == Data("new".utf8))
  }

  @Test(arguments: StoreUnderTest.all)
  func `a commit replaces the same variant, under a new number`(kind: StoreUnderTest) async throws {
    let store = try await kind.make(roomyLimits)
    try await store.insert(head("https://a/1"), body: Data("one".utf8))
    let (old, _) = try await store.only("https://a/1")
    try await store.insert(head("https://a/1"), body: Data("two".utf8))
    let (new, body) = try await store.only("https://a/1")
    #expect(new.id != old.id)
    #expect(body == Data("two".utf8))
    try await store.remove(.response(old.id, of: old.head.key))
    try await store.update(old.id, to: head("https://a/1", status: 404))
    #expect(try await store.only("https://a/1").0.head.status == 200)
  }

  @Test(arguments: StoreUnderTest.all)
  func `variants, partitions and URLs are kept apart`(kind: StoreUnderTest) async throws {
    let store = try await kind.make(roomyLimits)
    try await store.insert(head("https://a/1", variant: "x"), body: Data("x".utf8))
    try await store.insert(head("https://a/1", variant: "y"), body: Data("y".utf8))
    try await store.insert(head("https://a/1", partition: "p", variant: "x"), body: Data("p".utf8))
    try await store.insert(head("https://a/1?"), body: Data("q".utf8))
    try await store.insert(head("https://a/A"), body: Data("upper".utf8))
    let found = try await store.responses(for: CacheKey(partition: "", url: "https://a/1"))
    var bodies: [String: Data] = [:]
    for response in found { bodies[response.head.variant] = try await store.content(of: response) }
    #expect(bodies == ["x": Data("x".utf8), "y": Data("y".utf8)])
    #expect(try await store.only("https://a/1", partition: "p").1 == Data("p".utf8))
    #expect(try await store.urls("https://a/a").isEmpty)
    #expect(try await store.info().entries == 5)
  }

  @Test(arguments: StoreUnderTest.all)
  func `an update changes the head and keeps body and number`(kind: StoreUnderTest) async throws {
    let store = try await kind.make(roomyLimits)
    let body = Data(repeating: 7, count: 200_000)
    try await store.insert(head("https://a/1"), body: body)
    let (old, _) = try await store.only("https://a/1")
    let changed = head("https://a/1", fields: ["X-New": "1"], at: start + 60)
    try await store.update(old.id, to: changed)
    let (new, bytes) = try await store.only("https://a/1")
    #expect(new.id == old.id)
    #expect(new.head.fields == ["X-New": "1"])
    #expect(new.head.responseTime == start + 60)
    #expect(bytes == body)
  }

  @Test(
    arguments: StoreUnderTest.all,
    [
      (.all, []), (.url("https://a/1"), ["https://a/1/b", "https://a/12", "https://b/1"]),
      (.prefix("https://a/1"), ["https://b/1"]),
      (.prefix("https://a/1/"), ["https://a/1", "https://a/12", "https://b/1"]),
      (.prefix("https://a/%"), ["https://a/1", "https://a/1/b", "https://a/12", "https://b/1"]), (.prefix(""), []),
      (.partition(""), []), (.partition("p"), ["https://a/1", "https://a/1/b", "https://a/12", "https://b/1"]),
    ] as [(CacheSelection, [String])])
  func `removes what is selected and nothing else`(
    kind: StoreUnderTest, removal: (selection: CacheSelection, left: [String])
  ) async throws {
    let store = try await kind.make(roomyLimits)
    let urls = ["https://a/1", "https://a/1/b", "https://a/12", "https://b/1"]
    for url in urls { try await store.insert(head(url), body: Data("x".utf8)) }
    try await store.insert(head("https://a/1", partition: "p"), body: Data("p".utf8))
    try await store.remove(removal.selection)
    #expect(try await store.urls(urls[0], urls[1], urls[2], urls[3]) == removal.left)
    let isPartitionLeft = try await !store.responses(for: CacheKey(partition: "p", url: "https://a/1")).isEmpty
    let survives =
      switch removal.selection {
      case .partition(let name): name != "p"
      case .prefix(let prefix): !"https://a/1".hasPrefix(prefix)
      default: false
      }
    #expect(isPartitionLeft == survives)
    #expect(try await store.info().entries == removal.left.count + (survives ? 1 : 0))
  }

  @Test(arguments: StoreUnderTest.all)
  func `removes one variant and leaves its siblings`(kind: StoreUnderTest) async throws {
    let store = try await kind.make(roomyLimits)
    for variant in ["x", "y"] { try await store.insert(head("https://a/1", variant: variant), body: Data()) }
    let key = CacheKey(partition: "", url: "https://a/1")
    let x = try #require(try await store.responses(for: key).first { $0.head.variant == "x" })
    try await store.remove(.response(x.id, of: key))
    #expect(try await store.responses(for: key).map(\.head.variant) == ["y"])
  }

  @Test(arguments: StoreUnderTest.all)
  func `of too many responses the least recently used go`(kind: StoreUnderTest) async throws {
    let store = try await kind.make(CacheLimits(bytes: 10_000_000, entries: 3))
    for url in ["https://a/1", "https://a/2", "https://a/3"] { try await store.insert(head(url), body: Data()) }
    _ = try await store.responses(for: CacheKey(partition: "", url: "https://a/1"))
    try await store.insert(head("https://a/4"), body: Data())
    #expect(try await store.urls("https://a/1", "https://a/2", "https://a/3", "https://a/4").count == 3)
    #expect(try await store.urls("https://a/2").isEmpty)
    #expect(try await store.info().entries == 3)
  }

  @Test(arguments: StoreUnderTest.all)
  func `of too many bytes the least recently used go`(kind: StoreUnderTest) async throws {
    let store = try await kind.make(CacheLimits(bytes: 300_000, entries: 1_000, bodySize: 100_000))
    for number in 1...20 {
      try await store.insert(head("https://a/\(number)"), body: Data(repeating: 1, count: 50_000))
      #expect(try await store.info().bytes <= 300_000)
    }
    #expect(try await store.urls("https://a/1", "https://a/20") == ["https://a/20"])
    #expect(try await store.info().entries >= 3)
  }

  @Test(arguments: StoreUnderTest.all)
  func `of too many variants the oldest go`(kind: StoreUnderTest) async throws {
    let store = try await kind.make(CacheLimits(bytes: 10_000_000, entries: 1_000, variants: 3))
    for number in 1...5 { try await store.insert(head("https://a/1", variant: "v\(number)"), body: Data()) }
    let found = try await store.responses(for: CacheKey(partition: "", url: "https://a/1"))
    #expect(Set(found.map(\.head.variant)) == ["v3", "v4", "v5"])
  }

  @Test(arguments: StoreUnderTest.all)
  func `the largest body is that of the limits`(kind: StoreUnderTest) async throws {
    let store = try await kind.make(CacheLimits(bytes: 1_000_000, entries: 10, bodySize: 1_000))
    #expect(store.maximumBodySize == 1_000)
    try await store.insert(head("https://a/1"), body: Data(repeating: 1, count: 1_000))
    #expect(try await store.only("https://a/1").1.count == 1_000)
  }

  @Test(arguments: StoreUnderTest.all)
  func `a body being read ends whole or throws when it is replaced`(kind: StoreUnderTest) async throws {
    let store = try await kind.make(roomyLimits)
    let old = Data(repeating: 1, count: 2_000_000)
    try await store.insert(head("https://a/1"), body: old)
    let found = try #require(try await store.responses(for: CacheKey(partition: "", url: "https://a/1")).first)
    let body = try #require(try await store.body(of: found))
    var chunks = body.makeAsyncIterator()
    var read = try await chunks.next() ?? Data()
    try await store.insert(head("https://a/1"), body: Data(repeating: 2, count: 2_000_000))
    try await store.remove(.all)
    do {
      while let chunk = try await chunks.next() { read.append(chunk) }
      #expect(read == old)
    } catch {
      #expect(read == old.prefix(read.count))
    }
  }

  @Test(arguments: StoreUnderTest.all)
  func `many tasks at a time leave whole responses and right counts`(kind: StoreUnderTest) async throws {
    let store = try await kind.make(CacheLimits(bytes: 10_000_000, entries: 50))
    try await withThrowingTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<50 {
            let number = (task * 7 + round) % 60
            let url = "https://a/\(number)"
            switch round % 4 {
            case 0, 1: try await store.insert(head(url), body: Data(repeating: UInt8(number), count: 1_000))
            case 2 where round % 8 == 2: try await store.remove(.url(url))
            default:
              for response in try await store.responses(for: CacheKey(partition: "", url: url)) {
                // One that was removed or replaced meanwhile has no body, or one that throws.
                let read = try? await store.content(of: response)
                #expect(read.map { $0 == Data(repeating: UInt8(number), count: 1_000) } ?? true)
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let info = try await store.info()
    #expect(info.entries <= 50)
    try await store.remove(.all)
    #expect(try await store.info() == CacheInfo(entries: 0, bytes: 0))
  }
}
