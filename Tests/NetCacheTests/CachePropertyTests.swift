import Foundation
import NetCache
import NetCore
import NetTesting
import Synchronization
import TestSupport
import Testing

/// Random sequences of requests and responses, against a model that is too simple to be wrong: whatever the cache serves, the
/// model must allow it.
@Suite(.timeLimit(.minutes(2))) struct CachePropertyTests {
  @Test(arguments: 0..<16) func `nothing is served that the model forbids`(group: Int) async throws {
    for sequence in 0..<160 {
      let seed = UInt64(group * 1_000 + sequence)
      var random = SeededGenerator(seed: seed)
      if let violation = try await play(&random) {
        Issue.record("seed \(seed): \(violation)")
        return
      }
    }
  }

  @Test func `the model finds a cache that is wrong`() async throws {
    var found = false
    for seed in 0..<50 where !found {
      var random = SeededGenerator(seed: UInt64(seed))
      found = try await play(&random, store: LyingStore()) != nil
    }
    #expect(found)
  }

  /// Plays a sequence of 25 steps; what the model forbids, or `nil`.
  private func play(_ random: inout SeededGenerator, store: any CacheStore = MemoryCacheStore()) async throws -> String?
  {
    // Others wait for the same threads.
    await Task.yield()
    let clock = TestClock(start: start)
    let origin = Origin(clock: clock)
    let stage = HTTPCache(store: store).stage(in: ClientServices(timeSource: clock.timeSource))
    var context = RequestContext(delivery: .collected(upTo: 1_000))
    for _ in 0..<25 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: clock.advance(by: .seconds(Int.random(in: 1...40, using: &random)))
      case 1: clock.advance(by: .seconds(Int.random(in: 0...3, using: &random)))
      case 2:
        let name = ["ann", "ben", nil].randomElement(using: &random)!
        context.credentialScope = name.map { CredentialScope($0) }
      case 3: origin.change(&random)
      case 4:
        let request = HTTPRequest(method: .post, url: Origin.urls.randomElement(using: &random)!)
        _ = try? await stage.intercept(request, context: context, next: origin)
      default:
        var request = HTTPRequest(url: Origin.urls.randomElement(using: &random)!)
        if Bool.random(using: &random) { request.fields["X-A"] = ["1", "2"].randomElement(using: &random)! }
        request.fields[.cacheControl] = Origin.requestDirectives.randomElement(using: &random)!
        let served = origin.count
        guard let response = try? await stage.intercept(request, context: context, next: origin) else { continue }
        let wasAsked = origin.count > served
        if let violation = origin.judge(response, to: request, of: context.credentialScope, wasAsked: wasAsked) {
          return violation
        }
      }
    }
    return nil
  }
}

/// A server that remembers what it has answered, and judges what a cache makes of it.
private final class Origin: HTTPTransport {
  static let urls = ["https://a.example/a", "https://a.example/b"].map { URL(string: $0)! }
  static let requestDirectives: [String?] = [
    nil, nil, nil, nil, "no-cache", "no-store", "max-age=5", "max-stale=10", "max-stale", "min-fresh=5",
    "only-if-cached",
    "max-age=0", "stale-if-error=20",
  ]
  private static let responseDirectives = [
    "max-age=20", "max-age=20, must-revalidate", "no-store", "no-cache", "max-age=5, stale-while-revalidate=10",
    "max-age=5, stale-if-error=20", "private, max-age=10", "s-maxage=100", "max-age=20, max-age=1", "max-age=oops",
  ]

  /// What was answered with a number of its own.
  private struct Answer {
    var url: URL
    var scope: CredentialScope?
    var x: String?
    var directives: String
    var varies: Bool
    var isComplete: Bool
    /// When the server made or last confirmed it.
    var time: Date
    /// Whether something has changed it since.
    var isInvalid = false
  }

  private struct State {
    var directives = "max-age=20"
    var varies = false
    var status = HTTPResponse.Status.ok
    var isDown = false
    var answers: [Int: Answer] = [:]
    var count = 0
  }

  private let state = Mutex(State())
  private let clock: TestClock

  init(clock: TestClock) {
    self.clock = clock
  }

  var count: Int { state.withLock { $0.count } }

  func change(_ random: inout SeededGenerator) {
    let directives = Self.responseDirectives.randomElement(using: &random)!
    let varies = Bool.random(using: &random)
    let fate = Int.random(in: 0..<6, using: &random)
    state.withLock { state in
      state.directives = directives
      state.varies = varies
      state.isDown = fate == 0
      state.status = fate == 1 ? 503 : fate == 2 ? 206 : 200
    }
  }

  func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
    let now = clock.timeSource.now
    return try state.withLock { state in
      state.count += 1
      if state.isDown { throw APIError.transport(.connectionRefused) }
      if request.method == .post {
        for (number, answer) in state.answers where answer.url == request.url {
          state.answers[number]?.isInvalid = true
        }
        return .status(.noContent)
      }
      let tag = request.fields[.ifNoneMatch].flatMap { Int($0.dropFirst().dropLast()) }
      if let tag, state.status == 200, var known = state.answers[tag], state.count % 2 == 0 {
        known.time = now
        known.directives = state.directives
        state.answers[tag] = known
        return .status(
          .notModified,
          fields: [.eTag: "\"\(tag)\"", .cacheControl: state.directives, .date: HTTPDate.text(now)])
      }
      if state.status == 503 { return .text("unavailable", status: 503) }
      state.answers[state.count] = Answer(
        url: request.url, scope: context.credentialScope, x: request.fields["X-A"], directives: state.directives,
        varies: state.varies, isComplete: state.status == 200, time: now)
      var fields: HTTPFields = [
        .eTag: "\"\(state.count)\"", .cacheControl: state.directives, .date: HTTPDate.text(now),
      ]
      if state.varies { fields[.vary] = "X-A" }
      return .text("\(state.count)", status: state.status, fields: fields)
    }
  }

  /// Why a response must not have been; `nil` when it may.
  func judge(
    _ response: HTTPResponse, to request: HTTPRequest, of scope: CredentialScope?, wasAsked: Bool
  ) -> String? {
    guard let number = response.body.bufferedBytes.flatMap({ Int(String(decoding: $0, as: UTF8.self)) }),
      let answer = state.withLock({ $0.answers[number] })
    else { return nil }
    let age = clock.timeSource.now.timeIntervalSince(answer.time)
    let asked = request.fields[.cacheControl] ?? ""
    let outcome = response.info.cache
    let what = "\(outcome.map { "\($0)" } ?? "none") of \(answer), \(age) s old, for \(asked)"
    if request.url != answer.url { return "another URL: \(what)" }
    if scope != answer.scope { return "another account: \(what)" }
    if answer.varies, request.fields["X-A"] != answer.x { return "another variant: \(what)" }
    // What was asked for just now is whatever the server said.
    if outcome == .revalidated { return wasAsked ? nil : "confirmed by nobody: \(what)" }
    if wasAsked, case .miss? = outcome { return nil }
    if case .bypass? = outcome { return wasAsked ? nil : "out of nothing: \(what)" }
    // From here on it was stored.
    if !answer.isComplete { return "a part: \(what)" }
    if answer.isInvalid { return "changed since: \(what)" }
    if asked == "no-store" || asked == "no-cache" { return "unasked: \(what)" }
    if answer.directives == "no-store" || answer.directives == "no-cache" { return "not to be used: \(what)" }
    return judgeAge(outcome, age, lifetime(of: answer.directives), asked, answer.directives).map { "\($0): \(what)" }
  }

  private func judgeAge(
    _ outcome: CacheOutcome?, _ age: TimeInterval, _ lifetime: TimeInterval, _ asked: String, _ directives: String
  ) -> String? {
    let isFresh = age < lifetime
    switch outcome {
    case .hit?:
      if !isFresh { return "stale as fresh" }
      if asked == "max-age=5", age > 5 { return "older than wanted" }
      if asked == "max-age=0", age > 0 { return "older than wanted" }
      return asked == "min-fresh=5" && lifetime - age < 5 ? "less fresh than wanted" : nil
    case .staleHit(_, let reason)?:
      if directives.contains("must-revalidate") { return "stale in spite of must-revalidate" }
      switch reason {
      case .requested:
        return asked == "max-stale" || asked == "max-stale=10" && age - lifetime <= 10 ? nil : "not requested"
      case .whileRevalidating:
        return directives.contains("while") && age - lifetime <= 10 ? nil : "not while revalidating"
      case .serverError:
        let isAllowed = directives.contains("stale-if-error") || asked.contains("stale-if-error")
        return isAllowed && age - lifetime <= 20 ? nil : "not on errors"
      case .disconnected:
        return asked.hasPrefix("max-age") || asked.hasPrefix("min-fresh") ? "staler than wanted" : nil
      }
    default:
      return "unknown outcome"
    }
  }

  private func lifetime(of directives: String) -> TimeInterval {
    switch directives {
    case "max-age=20", "max-age=20, must-revalidate": 20
    case "private, max-age=10": 10
    case let text where text.hasPrefix("max-age=5,"): 5
    default: 0
    }
  }
}

/// A store that mixes up whose responses are whose.
private struct LyingStore: CacheStore {
  let inner = MemoryCacheStore()

  var maximumBodySize: Int64 { inner.maximumBodySize }
  func responses(for key: CacheKey) -> [StoredResponse] {
    ["", "scope:ann", "scope:ben"].flatMap { inner.responses(for: CacheKey(partition: $0, url: key.url)) }
  }
  func body(of response: StoredResponse) -> HTTPResponse.Body? { inner.body(of: response) }
  func writer(for head: StoredHead, length: Int64?) -> any CacheWriter { inner.writer(for: head, length: length) }
  func update(_ id: StoredResponse.ID, to head: StoredHead) { inner.update(id, to: head) }
  func remove(_ selection: CacheSelection) { inner.remove(selection) }
  func info() -> CacheInfo { inner.info() }
}
