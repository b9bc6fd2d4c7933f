import Foundation
import NetCore
import NetCurl
import NetTesting
import TestSupport
import Testing

/// The duel of the integration tests, fought on a kept connection: libcurl and the client's retry both want to send again.
@Suite(
  .timeLimit(.minutes(1)), .enabled(if: ChildProcess.isInstalled("openssl") && ChildProcess.isInstalled("python3")))
struct KeptDuelTests {
  private let clock = TestClock()
  private let state = Endpoint<String>(path: "state")

  private func order(_ trouble: KeptShop.Trouble) -> Endpoint<String> {
    Endpoint(.post, path: "orders", body: .text(String(repeating: "beans", count: trouble.isLarge ? 80_000 : 1)))
  }

  /// A client that keeps a connection to `shop`.
  private func warmedClient(_ shop: KeptShop, _ backoff: Backoff) async throws -> HTTPClient {
    var configuration = HTTPClient.Configuration(baseURL: shop.baseURL)
    configuration.retry = .standard
    configuration.retry.backoff = backoff
    configuration.timeSource = clock.timeSource
    let transport = try CurlTransport.with {
      if let authority = shop.authority { $0.tls.trustRoots = .file(path: authority) }
    }
    let client = HTTPClient(configuration, transport: transport)
    #expect(try await client.send(state) == "0 for 0")
    return client
  }

  @Test(arguments: KeptShop.Trouble.all)
  func `without a key nothing is charged twice`(_ trouble: KeptShop.Trouble) async throws {
    let shop = try await KeptShop(trouble)
    let client = try await warmedClient(shop, .none)
    let error = await #expect(throws: APIError.self) { try await client.send(order(trouble)) }
    #expect(error?.mayHaveReachedServer == true)
    #expect(error?.attempts == 1)
    if trouble.next == .refused { try await shop.reopen() }
    #expect(try await client.send(state) == (trouble.place == .afterCharging ? "1 for 1" : "0 for 1"))
  }

  @Test(arguments: KeptShop.Trouble.all)
  func `with a key everything is charged once`(_ trouble: KeptShop.Trouble) async throws {
    let shop = try await KeptShop(trouble)
    let client = try await warmedClient(shop, trouble.next == .refused ? .constant(.seconds(1)) : .none)
    var order = order(trouble)
    order.idempotencyKey = .automatic
    async let answer = client.send(order)
    if trouble.next == .refused {
      try await clock.waitForSleeper(until: .seconds(1))
      try await shop.reopen()
      clock.advance(by: .seconds(1))
    }
    #expect(try await answer == "1 for 2")
  }
}
