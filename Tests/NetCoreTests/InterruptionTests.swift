import Dispatch
import Foundation
import NetCore
import NetTesting
import Synchronization
import Testing

/// Notes in which task each request is sent, and whether by the main actor.
private final class TaskNoting: HTTPTransport {
  let isInterruptible: Bool
  private let isMain: @Sendable () -> Bool
  private let noted = Mutex<[(task: Int?, isOnMainActor: Bool)]>([])

  init(isInterruptible: Bool, isMain: @escaping @Sendable () -> Bool = { false }) {
    self.isInterruptible = isInterruptible
    self.isMain = isMain
  }

  var tasks: [Int?] { noted.withLock { $0.map(\.task) } }
  var isOnMainActor: [Bool] { noted.withLock { $0.map(\.isOnMainActor) } }

  func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
    noted.withLock { $0.append((currentTask(), isMain())) }
    return .status(.ok)
  }
}

private func currentTask() -> Int? {
  withUnsafeCurrentTask { $0?.hashValue }
}

/// A store whose credentials never come.
private struct HangingStore: CredentialStore {
  func load() async throws -> BearerCredentials? { try await waitUntilCancelled() }

  func update<Result: Sendable>(
    _ change: @Sendable (inout BearerCredentials?) async throws -> Result
  ) async throws -> Result {
    try await waitUntilCancelled()
  }
}

/// A store whose cookies never come.
private struct HangingCookieStore: CookieStore {
  func load() async throws -> [Cookie] { try await waitUntilCancelled() }

  func save(_ cookies: [Cookie]) async throws {}
}

@Suite(.timeLimit(.minutes(1))) struct InterruptionTests {
  private let clock = TestClock()

  /// Work of an authenticator ends by itself only when this clock says so.
  private var patient: BearerAuthenticator.Settings {
    var settings = BearerAuthenticator.Settings()
    settings.timeSource = clock.timeSource
    return settings
  }

  private func everyStage(_ configuration: inout HTTPClient.Configuration) {
    configuration.timeSource = clock.timeSource
    configuration.retry = .standard
    configuration.attemptTimeout = .seconds(10)
    let store = MemoryCredentialStore(BearerCredentials(accessToken: "t"))
    configuration.authenticator = BearerAuthenticator(store: store, origins: [exampleURL]) { $0 }
  }

  @Test func `the client's own stages run on their caller's task`() async throws {
    let transport = TaskNoting(isInterruptible: true)
    try await makeClient(transport, everyStage).send(Endpoint<Void>(path: "a"))
    #expect(transport.tasks == [currentTask()])
  }

  @MainActor @Test func `the actor that calls is not kept busy by its calls`() async throws {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    try #require(DispatchQueue.getSpecific(key: key) == true)
    let transport = TaskNoting(isInterruptible: true) { DispatchQueue.getSpecific(key: key) == true }
    let client = makeClient(transport, everyStage)
    let request = Endpoint<Bool>(path: "a") { _, _ in DispatchQueue.getSpecific(key: key) == true }
    #expect(try await client.send(request) == false)
    _ = try await client.open(Endpoint<Void>(path: "a"))
    #expect(transport.isOnMainActor == [false, false])
    #expect(DispatchQueue.getSpecific(key: key) == true)
  }

  @Test func `whatever does not promise to end with the call has a task to cancel`() async throws {
    let foreign = TaskNoting(isInterruptible: false)
    try await makeClient(foreign, everyStage).send(Endpoint<Void>(path: "a"))
    let transport = TaskNoting(isInterruptible: true)
    let client = makeClient(transport) { configuration in
      everyStage(&configuration)
      configuration.attemptMiddlewares = [.intercepting { try await $2.send($0, context: $1) }]
    }
    try await client.send(Endpoint<Void>(path: "a"))
    #expect(!foreign.tasks.contains(currentTask()) && !transport.tasks.contains(currentTask()))
  }

  @Test(arguments: Ending.allCases)
  func `an attempt that takes too long is repeated, and the call's limit ends the last`(ending: Ending) async throws {
    let transport = ClosureTransport { _ in try await waitUntilCancelled() }
    let client = makeClient(ending.of(transport)) { configuration in
      configuration.timeSource = clock.timeSource
      configuration.attemptTimeout = .seconds(12)
      configuration.retry = .standard
      configuration.retry.backoff = .constant(.seconds(1))
    }
    async let call = apiError { try await client.send(Endpoint<Void>(path: "a")) }
    for (number, wait) in [(1, 13), (2, 26)] {
      try await waitUntil { transport.requests.count == number }
      clock.advance(by: .seconds(12))
      try await clock.waitForSleeper(until: .seconds(wait))
      clock.advance(by: .seconds(1))
    }
    try await waitUntil { transport.requests.count == 3 }
    clock.advance(by: .seconds(4))
    #expect(try await call == .timedOut(.total))
    #expect(transport.requests.count == 3)
  }

  @Test(arguments: Ending.allCases)
  func `a wait between attempts ends with the client, and nothing more is sent`(ending: Ending) async throws {
    let transport = answering(.status(.serviceUnavailable))
    let client = makeClient(ending.of(transport)) { configuration in
      configuration.timeSource = clock.timeSource
      configuration.retry = .standard
      configuration.retry.backoff = .constant(.seconds(5))
    }
    let call = Task { try await client.send(Endpoint<Void>(path: "a")) }
    try await clock.waitForSleeper(until: .seconds(5))
    await client.shutdown(.cancelling)
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(transport.requests.count == 1)
  }

  @Test(arguments: Ending.allCases)
  func `a wait for credentials ends with the call`(ending: Ending) async throws {
    let transport = answering(.status(.ok))
    let client = makeClient(ending.of(transport)) { configuration in
      configuration.timeSource = clock.timeSource
      configuration.authenticator = BearerAuthenticator(
        store: HangingStore(), origins: [exampleURL], settings: patient
      ) { $0 }
    }
    async let call = apiError { try await client.send(Endpoint<Void>(path: "a", timeout: .seconds(7))) }
    try await clock.waitForSleeper(until: .seconds(7))
    clock.advance(by: .seconds(7))
    #expect(try await call == .timedOut(.total))
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: Ending.allCases, [true, false])
  func `a wait for new credentials ends with the call`(ending: Ending, isReplayable: Bool) async throws {
    let transport = answering(.status(.unauthorized))
    let store = MemoryCredentialStore(BearerCredentials(accessToken: "t"))
    let client = makeClient(ending.of(transport)) { configuration in
      configuration.timeSource = clock.timeSource
      configuration.retry = .standard
      configuration.authenticator = BearerAuthenticator(store: store, origins: [exampleURL], settings: patient) { _ in
        try await waitUntilCancelled()
      }
    }
    let body =
      isReplayable
      ? RequestBody.none : .stream(HTTPBody(isReplayable: false) { Pieces([Data("a".utf8)]) }, contentType: nil)
    let endpoint = Endpoint<Void>(.put, path: "a", body: body, timeout: .seconds(7))
    async let call = apiError { try await client.send(endpoint) }
    try await clock.waitForSleeper(until: .seconds(7))
    try await waitUntil { !transport.requests.isEmpty }
    clock.advance(by: .seconds(7))
    #expect(try await call == .timedOut(.total))
    #expect(transport.requests.count == 1)
  }

  @Test(arguments: Ending.allCases)
  func `a wait for stored cookies ends with the call`(ending: Ending) async throws {
    let transport = answering(.status(.ok))
    let client = makeClient(ending.of(transport)) { configuration in
      configuration.timeSource = clock.timeSource
      configuration.cookies = CookieJar(store: HangingCookieStore(), timeSource: clock.timeSource)
    }
    async let call = apiError { try await client.send(Endpoint<Void>(path: "a", timeout: .seconds(7))) }
    try await clock.waitForSleeper(until: .seconds(7))
    clock.advance(by: .seconds(7))
    #expect(try await call == .timedOut(.total))
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: Ending.allCases)
  func `a wait for a place ends with the call, and takes none`(ending: Ending) async throws {
    let transport = ClosureTransport { request in
      if request.path.hasSuffix("quick") { return .status(.ok) }
      try await waitUntilCancelled()
    }
    let client = makeClient(ending.of(transport)) { configuration in
      configuration.timeSource = clock.timeSource
      configuration.concurrencyLimit = ConcurrencyLimit(perHost: 1)
    }
    async let first = apiError { try await client.send(Endpoint<Void>(path: "a", timeout: .seconds(9))) }
    try await waitUntil { !transport.requests.isEmpty }
    async let second = apiError { try await client.send(Endpoint<Void>(path: "b", timeout: .seconds(7))) }
    try await clock.waitForSleeper(until: .seconds(7))
    clock.advance(by: .seconds(7))
    #expect(try await second == .timedOut(.total))
    try await clock.waitForSleeper(until: .seconds(9))
    clock.advance(by: .seconds(2))
    #expect(try await first == .timedOut(.total))
    #expect(transport.requests.count == 1)
    try await client.send(Endpoint<Void>(path: "quick"))
  }

  @Test(arguments: Ending.allCases)
  func `a wait for a turn ends with the client`(ending: Ending) async throws {
    let transport = answering(.status(.ok))
    let client = makeClient(ending.of(transport)) { configuration in
      configuration.timeSource = clock.timeSource
      configuration.rateLimit = RateLimit(1, per: .seconds(20), burst: 1)
    }
    try await client.send(Endpoint<Void>(path: "a"))
    let call = Task { try await client.send(Endpoint<Void>(path: "a")) }
    try await clock.waitForSleeper(until: .seconds(20))
    await client.shutdown(.cancelling)
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(transport.requests.count == 1)
  }

  @Test(arguments: Ending.allCases)
  func `a shared flight goes on when the time of one caller is up`(ending: Ending) async throws {
    let landing = AsyncStream<Void>.makeStream()
    let transport = ClosureTransport { _ in
      for await _ in landing.stream {}
      try Task.checkCancellation()
      return .text("landed")
    }
    let events = EventRecorder()
    let client = makeClient(ending.of(transport)) { configuration in
      configuration.observers = [events]
      configuration.timeSource = clock.timeSource
      configuration.coalescesCalls = true
    }
    async let short = apiError { try await client.send(Endpoint<String>(path: "a", timeout: .seconds(7))) }
    try await waitUntil { !transport.requests.isEmpty }
    async let long = client.send(Endpoint<String>(path: "a"))
    try await waitUntil { events.story.contains("coalesced 1") }
    try await clock.waitForSleeper(until: .seconds(7))
    clock.advance(by: .seconds(7))
    #expect(try await short == .timedOut(.total))
    landing.continuation.finish()
    #expect(try await long == "landed")
    #expect(transport.requests.count == 1)
  }

  @Test func `what is to end already is ended at once, and only the newest`() async throws {
    let transport = EndingLate()
    let client = makeClient(transport) { $0.timeSource = clock.timeSource }
    async let call = apiError { try await client.send(Endpoint<Void>(path: "a", timeout: .seconds(7))) }
    try await clock.waitForSleeper(until: .seconds(7))
    try await waitUntil { transport.isWaiting }
    clock.advance(by: .seconds(7))
    #expect(try await call == .timedOut(.total))
    #expect(transport.ended == ["second", "third"])
  }

  @Test func `a head that comes as its attempt is ended is no answer`() async throws {
    let client = makeClient(AnsweringLate()) { configuration in
      configuration.timeSource = clock.timeSource
      configuration.attemptTimeout = .seconds(7)
    }
    async let call = apiError { try await client.open(Endpoint<Void>(path: "a")) }
    try await clock.waitForSleeper(until: .seconds(7))
    clock.advance(by: .seconds(7))
    #expect(try await call == .timedOut(.attempt))
  }

  @Test func `a body that was given up is let go of`() async throws {
    let transport = Forgetting()
    let client = makeClient(transport) { configuration in
      configuration.attemptTimeout = .seconds(7)
      configuration.circuitBreaker = CircuitBreaker()
    }
    try await client.open(Endpoint<Void>(path: "a")).body.discard()
    #expect(transport.body == nil)
  }

  @Test func `outside a client there is nothing to end`() async throws {
    let context = RequestContext()
    context.onInterruption { Issue.record("It was ended.") }
    try await makeClient(answering(.status(.ok))).send(Endpoint<Void>(path: "a"))
  }
}

/// Says three times what is to be called: before the call's end twice, and after it.
private final class EndingLate: HTTPTransport {
  private struct State {
    var ended: [String] = []
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  var ended: [String] { state.withLock { $0.ended } }
  var isWaiting: Bool { state.withLock { $0.waiter != nil } }
  var isInterruptible: Bool { true }

  func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
    context.onInterruption { self.end("first") }
    context.onInterruption { self.end("second") }
    await withCheckedContinuation { continuation in state.withLock { $0.waiter = continuation } }
    context.onInterruption { self.end("third") }
    throw CancellationError()
  }

  private func end(_ name: String) {
    let waiter = state.withLock { state in
      state.ended.append(name)
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }
}

/// Answers once it is ended, with a body that was ended too.
private struct AnsweringLate: HTTPTransport {
  var isInterruptible: Bool { true }

  func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
    let body = ScriptedBody()
    context.onInterruption { body.cancel() }
    await body.cancelled()
    return HTTPResponse(body: body.body)
  }
}

/// Answers with a body that only the response holds.
private final class Forgetting: HTTPTransport {
  private struct State {
    weak var body: ScriptedBody?
  }

  private let state = Mutex(State())

  var body: ScriptedBody? { state.withLock { $0.body } }
  var isInterruptible: Bool { true }

  func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
    let body = ScriptedBody()
    state.withLock { $0.body = body }
    return HTTPResponse(body: body.body)
  }
}
