import BenchSupport
import NetCache
import NetCacheSQLite
import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Arms: `fill` stores the entries in a folder; `memory` and `disk-client` ask a client, and `disk` the store alone, for one of
/// them after the other, in no order; `big` stores a gigabyte and reads it again. The URL is the folder's.
@main
struct BenchCache {
  static func main() async throws {
    let options = Options()
    let bench = BenchCache(options: options)
    switch options.arm {
    case "fill": try await bench.fill(bench.disk)
    case "memory": try await bench.run(bench.client(bench.filledMemory()))
    case "disk-client": await bench.run(bench.client(bench.disk))
    case "disk": await bench.run(bench.store(bench.disk))
    case "big": await bench.run(bench.big())
    default: fatalError("There is no arm \(options.arm): see the source.")
    }
  }

  let options: Options

  private func run(_ operation: @escaping Benchmark.Operation) async {
    await Benchmark(options, operation).run()
  }

  private static let limits = CacheLimits(bytes: 4 << 30, entries: 1_000_000, bodySize: 2 << 30)
  private static let base = "https://example.com/v1/entries/"
  private static let size = 1_024

  private var disk: SQLiteCacheStore { SQLiteCacheStore(folder: options.url.path, limits: Self.limits) }

  private func filledMemory() async throws -> MemoryCacheStore {
    let store = MemoryCacheStore(limits: Self.limits)
    try await fill(store)
    return store
  }

  private func fill(_ store: some CacheStore) async throws {
    for number in 0..<options.entries {
      let head = StoredHead(
        key: CacheKey(partition: "", url: Self.base + "\(number)"), variant: "", status: .ok,
        fields: [
          .cacheControl: "max-age=86400", .contentType: "application/json", .eTag: "\"\(number)\"",
          .date: HTTPDate.text(Date()), "Server": "bench", .contentLength: "\(Self.size)",
        ], requestTime: Date(), responseTime: Date())
      try await store.insert(head, body: Data(repeating: UInt8(truncatingIfNeeded: number), count: Self.size))
    }
    if let disk = store as? SQLiteCacheStore { try await disk.close() }
  }

  /// The numbers of the entries, in an order that is none, the same for all arms.
  private func numbers() -> @Sendable () -> Int {
    let (counter, entries) = (Counter(), options.entries)
    return { counter.next() &* 7_919 % entries }
  }

  private func store(_ store: some CacheStore) -> Benchmark.Operation {
    let next = numbers()
    return {
      let found = try await store.responses(for: CacheKey(partition: "", url: Self.base + "\(next())"))
      guard let body = found.first?.body, body.count == Self.size else { throw APIError.noData }
      return body.count
    }
  }

  private func client(_ store: some CacheStore) -> Benchmark.Operation {
    var configuration = HTTPClient.Configuration(baseURL: URL(string: Self.base)!)
    configuration.cache = HTTPCache(store: store)
    let (client, next) = (HTTPClient(configuration, transport: Nobody()), numbers())
    return { try await client.send(Endpoint(path: "\(next())"), as: Data.self).count }
  }

  /// The first request stores the gigabyte on its way to the reader, the others read what is stored.
  private func big() -> Benchmark.Operation {
    var configuration = HTTPClient.Configuration(baseURL: URL(string: Self.base)!)
    configuration.timeout = .seconds(600)
    configuration.cache = HTTPCache(store: disk)
    let (client, counter) = (HTTPClient(configuration, transport: Gigabyte()), Counter())
    return {
      let response = try await client.open(Endpoint<Data>(path: "big"))
      var size = 0
      for try await chunk in response.body {
        guard chunk.first == 7, chunk.last == 7 else { throw APIError.decoding }
        size += chunk.count
      }
      let isHit = if case .hit? = response.info.cache { true } else { false }
      guard size == 1 << 30, isHit == (counter.next() > 1) else { throw APIError.transport(.truncated) }
      return size
    }
  }
}

/// Is not asked.
private struct Nobody: HTTPTransport {
  func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
    throw APIError.noData
  }
}

/// Answers with a gigabyte in chunks of 64 KiB, which may be kept.
private struct Gigabyte: HTTPTransport {
  func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
    HTTPResponse(
      status: .ok, fields: [.cacheControl: "max-age=86400"],
      body: HTTPResponse.Body(length: 1 << 30, source: Chunks()))
  }

  private final class Chunks: HTTPBodySource {
    private let sent = Counter()
    private let chunk = Data(repeating: 7, count: 65_536)

    var trailers: HTTPFields { [:] }
    func next() -> Data? { sent.next() <= (1 << 30) / 65_536 ? chunk : nil }
    func cancel() {}
  }
}
