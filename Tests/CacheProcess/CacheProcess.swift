import NetCache
import NetCacheSQLite
import NetCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

private let posixWrite = write

/// A process of its own that uses a disk store, for tests that kill it, run several, or take the disk away from it.
///
///     CacheProcess write FOLDER NAME SEED      stores until it is killed; a line `slot generation` for each it has stored
///     CacheProcess share FOLDER NAME SEED      2 × 150 operations on what others use too; a last line `read N`
///     CacheProcess call FOLDER BYTES USER      200 calls through a client, where no file may have more than BYTES; by another
///                                              user if USER is not 0; what is logged, and a last line `ok N`
@main
struct CacheProcess {
  static func main() async throws {
    let words = CommandLine.arguments
    guard words.count == 5, let number = UInt64(words[4]) else { fatalError("usage: see the source") }
    switch words[1] {
    case "write": try await write(to: SQLiteCacheStore(folder: words[2], limits: roomy), as: words[3], seed: number)
    case "share": try await share(SQLiteCacheStore(folder: words[2], limits: narrow), seed: number)
    case "call": await call(folder: words[2], mostBytes: UInt64(words[3]) ?? 0, user: uid_t(number))
    default: fatalError("usage: see the source")
    }
  }

  static let roomy = CacheLimits(bytes: 500_000_000, entries: 10_000)
  /// Makes room all the time.
  static let narrow = CacheLimits(bytes: 5_000_000, entries: 40)

  static func tell(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    precondition(bytes.withUnsafeBytes { posixWrite(STDOUT_FILENO, $0.baseAddress, $0.count) } == bytes.count)
  }

  static func head(_ content: Content) -> StoredHead {
    StoredHead(
      key: CacheKey(partition: "", url: content.url), variant: "", status: .ok, fields: [.cacheControl: "max-age=60"],
      requestTime: Date(), responseTime: Date())
  }

  /// Stores by one of the two ways.
  static func store(_ content: Content, in store: SQLiteCacheStore, piecewise: Bool) async throws {
    let (head, bytes) = (head(content), content.bytes)
    guard piecewise else { return try await store.insert(head, body: bytes) }
    let writer = try await store.writer(for: head, length: nil)
    for start in stride(from: 0, to: bytes.count, by: 60_000) {
      try await writer.append(bytes[start..<min(bytes.count, start + 60_000)])
    }
    try await writer.commit()
  }
}

extension CacheProcess {
  private static func write(to store: SQLiteCacheStore, as name: String, seed: UInt64) async throws {
    // Generations go on where another process of this name was killed: the seed is above all it can have reached.
    for round in 0... {
      let content = Content(name: name, slot: round % 7, generation: Int(seed) + round)
      try await self.store(content, in: store, piecewise: round % 2 == 0)
      tell("\(content.slot) \(content.generation)")
    }
  }

  private static func share(_ store: SQLiteCacheStore, seed: UInt64) async throws {
    let read = try await withThrowingTaskGroup { group in
      for task in 0..<2 {
        group.addTask { try await use(store, random: Random(state: seed &* 2 &+ UInt64(task))) }
      }
      return try await group.reduce(0, +)
    }
    tell("read \(read)")
  }

  /// Operations on 60 URLs that other processes use too; how many bodies were read whole.
  private static func use(_ store: SQLiteCacheStore, random: Random) async throws -> Int {
    var random = random
    var whole = 0
    for round in 0..<150 {
      let content = Content(name: "shared", slot: Int.random(in: 0..<60, using: &random), generation: round)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<3: try await self.store(content, in: store, piecewise: round % 2 == 0)
      case 3: try await store.remove(.url(content.url))
      default:
        for response in try await store.responses(for: head(content).key) {
          // One that was replaced or removed meanwhile is gone, or breaks off; it never ends early as if it were whole.
          guard let body = try await store.body(of: response), let bytes = try? await body.collect(upTo: 1 << 20) else {
            continue
          }
          guard Content(bytes)?.url == content.url else { fatalError("a torn body") }
          whole += 1
        }
      }
    }
    return whole
  }

  private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }
}

extension CacheProcess {
  private struct Sink: LogSink {
    func write(_ message: String, level: LogLevel) { tell(message) }
  }

  /// Answers with 20 kB, which may be kept.
  private struct Server: HTTPTransport {
    func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
      HTTPResponse(
        status: .ok, fields: [.cacheControl: "max-age=60"], body: HTTPResponse.Body(Data(repeating: 1, count: 20_000)))
    }
  }

  private static func call(folder: String, mostBytes: UInt64, user: uid_t) async {
    signal(SIGXFSZ, SIG_IGN)
    if mostBytes > 0 {
      var limit = rlimit(rlim_cur: rlim_t(mostBytes), rlim_max: rlim_t(mostBytes))
      #if canImport(Glibc)
      precondition(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      #else
      precondition(setrlimit(RLIMIT_FSIZE, &limit) == 0)
      #endif
    }
    if user != 0 { precondition(setuid(user) == 0) }
    var configuration = HTTPClient.Configuration(baseURL: URL(string: "https://example.com")!)
    configuration.cache = HTTPCache(store: SQLiteCacheStore(folder: folder, log: Sink()), log: Sink())
    let client = HTTPClient(configuration, transport: Server())
    var good = 0
    for number in 0..<200 {
      let bytes = try? await client.send(Endpoint(path: "\(number % 100)"), as: Data.self)
      if bytes?.count == 20_000 { good += 1 }
    }
    tell("ok \(good)")
  }
}
