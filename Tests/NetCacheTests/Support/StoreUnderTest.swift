import Foundation
import NetCache
import NetCore
import Testing

/// A store that the conformance suite runs through: each test makes one of its own.
struct StoreUnderTest: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Makes an empty store, which may leave nothing behind when it is dropped.
  let make: @Sendable (CacheLimits) async throws -> any CacheStore

  /// All stores. A new one is added here.
  static let all = [
    StoreUnderTest(testDescription: "memory") { MemoryCacheStore(limits: $0) },
    StoreUnderTest(testDescription: "SQLite") { try TemporaryDiskStore(limits: $0) },
  ]
}

/// Limits that no test reaches by accident.
let roomyLimits = CacheLimits(bytes: 50_000_000, entries: 10_000)

/// 2026-01-01T00:00:00Z
let start = Date(timeIntervalSince1970: 1_767_225_600)

/// A head for tests of stores.
func head(
  _ url: String, partition: String = "", variant: String = "", status: HTTPResponse.Status = .ok,
  fields: HTTPFields = [.cacheControl: "max-age=60"], at time: Date = start
) -> StoredHead {
  StoredHead(
    key: CacheKey(partition: partition, url: url), variant: variant, status: status, fields: fields, requestTime: time,
    responseTime: time)
}

/// A response was no longer stored when its body was asked for.
struct Gone: Error {}

extension CacheStore {
  /// The only response for a key, with its body read.
  func only(_ url: String, partition: String = "") async throws -> (StoredResponse, Data) {
    let found = try await responses(for: CacheKey(partition: partition, url: url))
    let response = try #require(found.count == 1 ? found.first : nil, "\(found.count) responses for \(url)")
    return (response, try await content(of: response))
  }

  func content(of response: StoredResponse) async throws -> Data {
    if let body = response.body { return body }
    guard let body = try await body(of: response) else { throw Gone() }
    return try await body.collect(upTo: 1 << 30)
  }

  func urls(_ urls: String...) async throws -> [String] {
    var found: [String] = []
    for url in urls where try await !responses(for: CacheKey(partition: "", url: url)).isEmpty { found.append(url) }
    return found
  }
}
