import Foundation
import NetTesting
import Synchronization
import TestSupport
import Testing

@testable import NetCore

/// How calls ended.
private struct Outcomes {
  var successes = 0
  var failures: [APIError] = []
  var cancelled = 0

  init(_ calls: [Task<String, any Error>]) async {
    for call in calls {
      do {
        _ = try await call.value
        successes += 1
      } catch let error as APIError {
        failures.append(error)
      } catch {
        cancelled += 1
      }
    }
  }
}

@Suite(.timeLimit(.minutes(1))) struct AuthenticationLoadTests {
  private func calls(_ signedIn: SignedInClient, _ count: Int = 1_000) -> [Task<String, any Error>] {
    (0..<count).map { number in Task { try await signedIn.get("items/\(number)") } }
  }

  @Test func `1,000 requests meet a 401: one refresh, 1,000 successes`() async throws {
    let signedIn = SignedInClient()
    signedIn.server.revoke()
    signedIn.server.refusals(1_000)
    let outcomes = await Outcomes(calls(signedIn))
    #expect(outcomes.successes == 1_000)
    #expect(signedIn.server.refreshes == 1)
    #expect(signedIn.tokens.filter { $0 == "Bearer token-2" }.count == 1_000)
  }

  @Test func `1,000 requests with an expired token: one refresh, and nobody sends the old one`() async throws {
    let signedIn = SignedInClient(expiresIn: -1)
    let outcomes = await Outcomes(calls(signedIn))
    #expect(outcomes.successes == 1_000)
    #expect(signedIn.server.refreshes == 1)
    #expect(signedIn.tokens == Array(repeating: "Bearer token-2", count: 1_000))
  }

  @Test func `the refresh fails: one refresh, 1,000 failures, and the old token is sent by no one afterwards`()
    async throws
  {
    let signedIn = SignedInClient()
    signedIn.server.revoke()
    signedIn.server.goDown()
    signedIn.server.refusals(1_000)
    let outcomes = await Outcomes(calls(signedIn))
    #expect(outcomes.failures.count == 1_000)
    #expect(outcomes.failures.allSatisfy { $0.kind == .serverError(503) && !$0.mayHaveReachedServer })
    #expect(outcomes.failures.allSatisfy { $0.reason.hasPrefix("The credentials could not be renewed") })
    let later = await Outcomes(calls(signedIn, 10))
    #expect(later.failures.count == 10)
    #expect(signedIn.server.refreshes == 1)
    #expect(signedIn.transport.requests.count == 1_000)
    signedIn.clock.advance(by: .seconds(10))
    let muchLater = await Outcomes(calls(signedIn, 10))
    #expect(muchLater.failures.count == 10)
    #expect(signedIn.server.refreshes == 2)
    #expect(signedIn.transport.requests.count == 1_000)
  }

  @Test func `the session has ended: one refresh, 1,000 failures, and the credentials are gone`() async throws {
    let signedIn = SignedInClient()
    try await signedIn.store.update { $0?.refreshToken = "used up" }
    signedIn.server.revoke()
    signedIn.server.refusals(1_000)
    let outcomes = await Outcomes(calls(signedIn))
    #expect(outcomes.failures.filter { $0 == .unauthorized && $0.reason.contains("sign in again") }.count == 1_000)
    #expect(signedIn.server.refreshes == 1)
    #expect(signedIn.store.load() == nil)
    _ = await Outcomes(calls(signedIn, 10))
    #expect(signedIn.tokens.suffix(10) == Array(repeating: nil, count: 10))
    #expect(signedIn.tokens.compactMap { $0 }.count == 1_000)
    #expect(signedIn.server.refreshes == 1)
  }

  @Test func `after a failed refresh new credentials are used at once`() async throws {
    let signedIn = SignedInClient(expiresIn: -1)
    signedIn.server.goDown()
    await #expect(throws: APIError.badStatus(503)) { try await signedIn.get() }
    try await signedIn.authenticator.signIn(BearerCredentials(accessToken: "token-1", account: "ann"))
    #expect(try await signedIn.get() == "Bearer token-1")
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `half of the callers are cancelled at random moments: the rest succeed`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let cancelled = Set((0..<1_000).shuffled(using: &random).prefix(500))
    // Each moment is the arrival of a request: 500 that are refused and 500 that succeed come in any case.
    let moments = Dictionary(grouping: cancelled.sorted()) { _ in Int.random(in: 1...1_000, using: &random) }
    let count = Atomic(0)
    let calls = Mutex<[Task<String, any Error>]>([])
    let server = TokenServer()
    server.revoke()
    server.refusals(500)
    let transport = ClosureTransport { request in
      let moment = count.add(1, ordering: .relaxed).newValue
      let victims = calls.withLock { calls in (moments[moment] ?? []).map { calls[$0] } }
      for victim in victims { victim.cancel() }
      return try await server.answer(request)
    }
    let store = MemoryCredentialStore(server.credentials())
    let authenticator = BearerAuthenticator(store: store, origins: [exampleURL]) { try server.refresh($0) }
    let client = makeClient(transport) { $0.authenticator = authenticator }
    calls.withLock { calls in
      calls = (0..<1_000).map { number in Task { try await client.send(Endpoint<String>(path: "items/\(number)")) } }
    }
    for (number, call) in calls.withLock({ $0 }).enumerated() where !cancelled.contains(number) {
      #expect(try await call.value == "Bearer token-2")
    }
    let outcomes = await Outcomes(calls.withLock { $0 })
    #expect(outcomes.failures.isEmpty)
    #expect(outcomes.successes + outcomes.cancelled == 1_000)
    #expect(server.refreshes == 1)
  }
}
