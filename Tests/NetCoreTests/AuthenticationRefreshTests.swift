import Foundation
import NetTesting
import Synchronization
import Testing

@testable import NetCore

@Suite(.timeLimit(.minutes(1))) struct AuthenticationRefreshTests {
  private let clock = TestClock()
  private let hasStarted = Promise<Void>()

  private func authenticator(
    _ store: any CredentialStore, _ refresh: @escaping @Sendable (BearerCredentials) async throws -> BearerCredentials
  ) -> BearerAuthenticator {
    var settings = BearerAuthenticator.Settings()
    settings.timeSource = clock.timeSource
    return BearerAuthenticator(store: store, origins: [exampleURL], settings: settings) { [hasStarted] old in
      hasStarted.fulfill(.success(()))
      return try await refresh(old)
    }
  }

  private let expired = MemoryCredentialStore(
    BearerCredentials(accessToken: "old", refreshToken: "r", expiry: .distantPast, account: "ann"))

  private func sign(_ authenticator: BearerAuthenticator, for scope: CredentialScope? = nil) async throws -> String? {
    var context = RequestContext()
    context.credentialScope = scope
    return try await authenticator.sign(HTTPRequest(url: exampleURL), context: context).fields[.authorization]
  }

  @Test func `a refresh has a time limit of its own`() async throws {
    let authenticator = authenticator(expired) { _ in try await waitUntilCancelled() }
    async let error = apiError { try await sign(authenticator) }
    try await hasStarted.value()
    try await clock.waitForSleepers(1)
    #expect(clock.sleepers == [.init(elapsed: .seconds(30))])
    clock.advance(by: .seconds(30))
    #expect(try await error == .timedOut(.attempt))
    #expect(try await apiError { try await sign(authenticator) } == .timedOut(.attempt))
  }

  @Test func `a refresh that does not heed its limit holds up nobody, and its credentials are not lost`() async throws {
    let gate = Promise<Void>()
    let authenticator = authenticator(expired) { _ in
      await Task { try? await gate.value() }.value
      return BearerCredentials(accessToken: "late")
    }
    async let error = apiError { try await sign(authenticator) }
    try await hasStarted.value()
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(30))
    #expect(try await error == .timedOut(.attempt))
    gate.fulfill(.success(()))
    while expired.load()?.accessToken != "late", !Task.isCancelled { await Task.yield() }
    while await (try? sign(authenticator)) != "Bearer late", !Task.isCancelled { await Task.yield() }
  }

  @Test func `a waiter's cancellation or deadline is not the refresh's`() async throws {
    let gate = Promise<Void>()
    let count = Atomic(0)
    let wasCancelled = Atomic(false)
    let authenticator = authenticator(expired) { _ in
      count.add(1, ordering: .relaxed)
      do { try await gate.value() } catch { wasCancelled.store(true, ordering: .relaxed) }
      return BearerCredentials(accessToken: "new")
    }
    let client = makeClient(answering(.text("ok"))) {
      $0.authenticator = authenticator
      $0.timeSource = clock.timeSource
    }
    let first = Task { try await client.send(Endpoint<String>(path: "a")) }
    try await hasStarted.value()
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    async let hasty = apiError { try await client.send(Endpoint<String>(path: "a", timeout: .seconds(1))) }
    await clock.sleeper(until: .seconds(1))
    clock.advance(by: .seconds(1))
    #expect(try await hasty == .timedOut(.total))
    async let patient = client.send(Endpoint<String>(path: "a"))
    gate.fulfill(.success(()))
    #expect(try await patient == "ok")
    #expect(count.load(ordering: .relaxed) == 1)
    #expect(wasCancelled.load(ordering: .relaxed) == false)
  }

  @Test func `a refresh through the client it works for does not wait for itself`() async throws {
    let holder = Mutex<HTTPClient?>(nil)
    let transport = ClosureTransport { request in
      request.path.hasSuffix("token") ? .text("new") : .text(request.fields[.authorization] ?? "none")
    }
    let authenticator = authenticator(expired) { _ in
      let client = try #require(holder.withLock { $0 })
      return BearerCredentials(accessToken: try await client.send(Endpoint<String>(.post, path: "token")))
    }
    let client = makeClient(transport) {
      $0.authenticator = authenticator
      $0.coalescesCalls = true
    }
    holder.withLock { $0 = client }
    #expect(try await client.send(Endpoint<String>(path: "a")) == "Bearer new")
    #expect(transport.requests.map { $0.fields[.authorization] } == [nil, "Bearer new"])
    holder.withLock { $0 = nil }
  }

  @Test func `signing out ends what waits, stops the refresh and empties the store`() async throws {
    let wasCancelled = Promise<Void>()
    let authenticator = authenticator(expired) { _ in
      defer { wasCancelled.fulfill(.success(())) }
      try await waitUntilCancelled()
    }
    let waiting = (1...10).map { _ in
      Task { try await apiError { try await sign(authenticator, for: CredentialScope("ann")) } }
    }
    try await hasStarted.value()
    try await authenticator.signOut()
    for task in waiting {
      let error = try await task.value
      #expect(error == .unauthorized)
      #expect(error.reason.contains("signed out"))
    }
    try await wasCancelled.value()
    #expect(expired.load() == nil)
    #expect(try await sign(authenticator) == nil)
  }

  @Test func `credentials that come after the sign-out are dropped`() async throws {
    let gate = Promise<Void>()
    let authenticator = authenticator(expired) { _ in
      await Task { try? await gate.value() }.value
      return BearerCredentials(accessToken: "late")
    }
    async let error = apiError { try await sign(authenticator) }
    try await hasStarted.value()
    async let signOut: Void = authenticator.signOut()
    #expect(try await error == .unauthorized)
    gate.fulfill(.success(()))
    try await signOut
    #expect(expired.load() == nil)
  }

  @Test func `a store that does not answer holds up no sign-out`() async throws {
    struct StuckStore: CredentialStore {
      let gate = Promise<Void>()
      func load() -> BearerCredentials? { nil }
      func update<Result: Sendable>(
        _ change: @Sendable (inout BearerCredentials?) async throws -> Result
      ) async throws -> Result {
        await Task { try? await gate.value() }.value
        throw CancellationError()
      }
    }
    let store = StuckStore()
    let authenticator = authenticator(store) { $0 }
    async let signOut = apiError { try await authenticator.signOut() }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(30))
    #expect(try await signOut == .timedOut(.attempt))
    store.gate.fulfill(.success(()))
  }

  @Test func `the last reference gone stops a refresh`() async throws {
    let wasCancelled = Promise<Void>()
    var authenticator: BearerAuthenticator? = authenticator(expired) { _ in
      defer { wasCancelled.fulfill(.success(())) }
      try await waitUntilCancelled()
    }
    let waiter = Task { [authenticator] in if let authenticator { _ = try await sign(authenticator) } }
    try await hasStarted.value()
    authenticator = nil
    waiter.cancel()
    await #expect(throws: CancellationError.self) { try await waiter.value }
    try await wasCancelled.value()
    while !clock.sleepers.isEmpty, !Task.isCancelled { await Task.yield() }
  }

  @Test func `a refresh that gives the refused token again has failed`() async throws {
    let store = MemoryCredentialStore(BearerCredentials(accessToken: "same"))
    let authenticator = authenticator(store) { $0 }
    let transport = answering(.status(401))
    let client = makeClient(transport) { $0.authenticator = authenticator }
    let error = try await apiError { try await client.send(Endpoint<String>(path: "a")) }
    #expect(error.reason.contains("same access token"))
    #expect(transport.requests.count == 1)
  }

  @Test func `credentials the store cannot keep are used all the same`() async throws {
    struct BrokenStore: CredentialStore {
      func load() -> BearerCredentials? { BearerCredentials(accessToken: "old", expiry: .distantPast) }
      func update<Result: Sendable>(
        _ change: @Sendable (inout BearerCredentials?) async throws -> Result
      ) async throws -> Result {
        var credentials = load()
        _ = try await change(&credentials)
        throw APIError.invalidRequest("disk full")
      }
    }
    let authenticator = authenticator(BrokenStore()) { _ in BearerCredentials(accessToken: "new") }
    #expect(try await sign(authenticator) == "Bearer new")
  }
}
