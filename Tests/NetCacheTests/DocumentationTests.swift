import Foundation
import NetCache
import NetCore
import NetTesting
import Testing

/// The samples of the documentation and the README, compiled and run.
@Suite struct DocumentationTests {
  private struct Tip: Decodable, Sendable { var tip: String }

  @Test func `the samples hold`() async throws {
    let baseURL = try #require(URL(string: "https://api.example.com/v1"))
    let transport = ClosureTransport { _ in .json(#"{"tip": "Rinse."}"#, fields: [.cacheControl: "max-age=60"]) }
    let cache = HTTPCache()
    var configuration = HTTPClient.Configuration(baseURL: baseURL)
    configuration.cache = cache
    let client = HTTPClient(configuration, transport: transport)

    var call = Endpoint<Tip>(path: "tips/today")
    let reply = try await client.reply(to: call)
    if case .staleHit(let age, _)? = reply.info.cache {
      Issue.record("This tip is \(age.components.seconds / 60) minutes old.")
    }
    call.cacheMode = .onlyIfCached
    #expect(try await client.send(call).tip == "Rinse.")
    try await cache.clear(scope: CredentialScope("ann"))
    #expect(try await cache.info().entries == 1)
    #expect("\(cache)" == "HTTPCache(MemoryCacheStore)")
    await client.shutdown()
  }
}
