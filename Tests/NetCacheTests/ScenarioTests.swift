import Foundation
import NetCache
import NetCore
import NetTesting
import Testing

/// Two requests through a client and its cache, a row for each rule.
@Suite(.timeLimit(.minutes(1))) struct ScenarioTests {
  @Test(arguments: Scenario.freshness)
  func `fresh or not`(row: Scenario) async throws {
    #expect(try await row.run() == row.expected)
  }

  @Test(arguments: Scenario.heuristics)
  func `fresh by heuristic`(row: Scenario) async throws {
    #expect(try await row.run() == row.expected)
  }

  @Test(arguments: Scenario.storing)
  func `stored or not`(row: Scenario) async throws {
    #expect(try await row.run() == row.expected)
  }

  @Test(arguments: Scenario.statuses)
  func `which statuses are stored`(row: Scenario) async throws {
    #expect(try await row.run() == row.expected)
  }

  @Test(arguments: Scenario.requests)
  func `what the caller asks for`(row: Scenario) async throws {
    #expect(try await row.run() == row.expected)
  }

  @Test(arguments: Scenario.modes)
  func `the mode of a call`(row: Scenario) async throws {
    #expect(try await row.run() == row.expected)
  }

  @Test(arguments: Scenario.variants)
  func `which variant`(row: Scenario) async throws {
    #expect(try await row.run() == row.expected)
  }

  @Test(arguments: Scenario.validation)
  func `asked about`(row: Scenario) async throws {
    #expect(try await row.run() == row.expected)
  }

  @Test(arguments: Scenario.errors)
  func `when the server fails`(row: Scenario) async throws {
    #expect(try await row.run() == row.expected)
  }

  @Test(arguments: [
    Scenario(
      "5861/4", "within the default", [.cacheControl: "max-age=60"], after: 100, server: .status(503),
      .stale(.serverError)),
    Scenario("5861/4", "beyond the default", [.cacheControl: "max-age=60"], after: 200, server: .status(503), .miss),
    Scenario(
      "5861/4", "the response's own", [.cacheControl: "max-age=60, stale-if-error=5"], after: 100, server: .status(503),
      .miss),
    Scenario(
      "4.2.4", "disconnected within", [.cacheControl: "max-age=60"], after: 100, server: .error(.offline),
      .stale(.disconnected)),
    Scenario(
      "4.2.4", "disconnected beyond", [.cacheControl: "max-age=60"], after: 200, server: .error(.offline), .failure),
    Scenario("4.2.2", "a half", [.lastModified: date(-100)], after: 49, .hit),
    Scenario("4.2.2", "a half, at its end", [.lastModified: date(-100)], after: 50, .confirmed),
    Scenario("4.2.2", "a half, at most a minute", [.lastModified: date(-1000)], after: 59, .hit),
    Scenario("4.2.2", "a half, a minute over", [.lastModified: date(-1000)], after: 60, .confirmed),
  ])
  func `a policy of one's own`(row: Scenario) async throws {
    var policy = CachePolicy()
    policy.staleIfError = .seconds(60)
    policy.staleWhenDisconnected = .seconds(60)
    policy.heuristicFraction = 0.5
    policy.maximumHeuristicLifetime = .seconds(60)
    #expect(try await row.run(policy: policy) == row.expected)
  }

  @Test func `a policy that uses nothing stale by itself`() async throws {
    var policy = CachePolicy()
    policy.staleWhenDisconnected = nil
    let row = Scenario("4.2.4", "", [.cacheControl: "max-age=60"], after: 61, server: .error(.offline), .failure)
    #expect(try await row.run(policy: policy) == .failure)
  }
}
