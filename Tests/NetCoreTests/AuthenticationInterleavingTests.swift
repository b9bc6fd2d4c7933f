import Foundation
import NetTesting
import Synchronization
import TestSupport
import Testing

@testable import NetCore

/// A story: callers, an authenticator and a server, whose every step a seed decides.
private final class Story: Sendable {
  struct Server {
    var random: SeededGenerator
    var current = 1
    var isRevoked = false
    /// Tokens whose renewal failed.
    var dead: Set<String> = []
    var refreshing: Set<String> = []
    var violations: [String] = []
    var ended = 0
  }

  let clock = TestClock()
  let executor = SeededExecutor()
  let server: Mutex<Server>
  private let seed: UInt64

  init(seed: UInt64) {
    self.seed = seed
    server = Mutex(Server(random: SeededGenerator(seed: seed &+ 1_000_000)))
  }

  func makeAuthenticator(expiresIn lifetime: TimeInterval) -> BearerAuthenticator {
    var settings = BearerAuthenticator.Settings()
    settings.timeSource = clock.timeSource
    settings.pauseAfterFailure = .seconds(5)
    let credentials = BearerCredentials(
      accessToken: "token-1", expiry: clock.timeSource.now.addingTimeInterval(lifetime), account: "ann")
    return BearerAuthenticator(
      store: MemoryCredentialStore(credentials), origins: [exampleURL], settings: settings,
      grant: ClosureGrant { [self] in try await refresh($0) }, executor: executor)
  }

  private func refresh(_ old: BearerCredentials) async throws -> BearerCredentials {
    let wait = server.withLock { server in
      if !server.refreshing.insert(old.accessToken).inserted { server.violations.append("two refreshes at a time") }
      return Int.random(in: 0...50, using: &server.random)
    }
    defer { server.withLock { _ = $0.refreshing.remove(old.accessToken) } }
    if wait > 0 { try await clock.timeSource.sleep(until: clock.timeSource.elapsed + .seconds(wait)) }
    return try server.withLock { server in
      switch Int.random(in: 0..<10, using: &server.random) {
      case 0:
        server.dead.insert(old.accessToken)
        throw APIError(.unauthorized, reason: "invalid_grant")
      case 1...3:
        server.dead.insert(old.accessToken)
        throw APIError.transport(.connectionLost)
      default:
        server.current += 1
        server.isRevoked = false
        let lifetime = TimeInterval.random(in: 10...300, using: &server.random)
        return BearerCredentials(
          accessToken: "token-\(server.current)", expiry: clock.timeSource.now.addingTimeInterval(lifetime))
      }
    }
  }

  /// What the pipeline's stages do with a call.
  func call(_ authenticator: BearerAuthenticator) async throws {
    let request = HTTPRequest(url: exampleURL)
    var context = RequestContext()
    context.credentialScope = try await authenticator.scope(for: request)
    for _ in 1...2 {
      guard context.credentialScope != nil else { return }
      let signed = try await authenticator.sign(request, context: context)
      let isRefused = server.withLock { server in
        let token = signed.fields[.authorization]?.split(separator: " ").last.map(String.init) ?? ""
        if server.dead.contains(token) { server.violations.append("\(token) was sent after its renewal had failed") }
        return server.isRevoked || token != "token-\(server.current)"
      }
      await Task.yield()
      guard isRefused else { return }
      try await authenticator.renewCredentials(
        refusedIn: signed, by: HTTPResponse(status: .unauthorized), context: context)
    }
  }

  /// What did not end, or must not have happened; empty when all is well.
  func run() -> [String] {
    var random = SeededGenerator(seed: seed)
    var authenticator: BearerAuthenticator? = makeAuthenticator(expiresIn: .random(in: -10...60, using: &random))
    var calls: [Task<Void, Never>] = []
    let count = 8
    for step in 0..<10_000 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0 where calls.count < count:
        calls.append(
          Task(executorPreference: executor) { [authenticator] in
            if let authenticator { try? await self.call(authenticator) }
            self.server.withLock { $0.ended += 1 }
          })
      case 1: calls.randomElement(using: &random)?.cancel()
      case 2: clock.advance(by: .milliseconds(Int.random(in: 0...8_000, using: &random)))
      case 3 where step % 3 == 0: server.withLock { $0.isRevoked = true }
      default:
        guard !executor.runOne(&random), calls.count == count else { continue }
        if server.withLock({ $0.ended }) == count {
          authenticator = nil
          while executor.runOne(&random) {}
          let left = clock.sleepers.isEmpty ? [] : ["\(clock.sleepers.count) sleepers are left"]
          return server.withLock { $0.violations } + left
        }
        guard let next = clock.sleepers.first else {
          return ["\(count - server.withLock { $0.ended }) calls wait for ever"]
        }
        clock.advance(by: next.elapsed - clock.now.elapsed)
      }
    }
    return ["no end after 10,000 steps"]
  }
}

@Suite(.timeLimit(.minutes(5))) struct AuthenticationInterleavingTests {
  @Test func `10,000 random orders of expiry, cancellation and failed refreshes leave nothing waiting`() async {
    let problems = await onThread {
      var problems: [String] = []
      for seed in 0..<10_000 as Range<UInt64> where problems.count < 5 {
        problems += Story(seed: seed).run().map { "seed \(seed): \($0)" }
      }
      return problems
    }
    #expect(problems == [])
  }

  @Test func `the same seed tells the same story`() async {
    let traces = await onThread {
      (1...3).map { _ in
        (0..<20 as Range<UInt64>).map { seed in
          let story = Story(seed: seed)
          _ = story.run()
          return story.server.withLock { "\($0.current) \($0.dead.sorted()) \(story.clock.now.elapsed)" }
        }
      }
    }
    #expect(Set(traces).count == 1)
    #expect(Set(traces[0]).count == 20)
  }
}
