import Foundation
import NetTesting
import Synchronization
import TestSupport
import Testing

@testable import NetCore

/// A story: callers that come, wait, go, are cancelled and fail, whose every step a seed decides.
private final class Story: Sendable {
  struct World {
    var random: SeededGenerator
    /// Exchanges under way, host by host.
    var running: [String: Int] = [:]
    /// Bodies on their way.
    var bodies: [ScriptedBody] = []
    var sent: [Duration] = []
    var ended = 0
    var violations: [String] = []
  }

  static let count = 12
  static let concurrency = ConcurrencyLimit(perHost: 2, total: 3, queue: 6)
  static let rate = RateLimit(4, per: .seconds(8), burst: 2)

  let clock = TestClock()
  let executor = SeededExecutor()
  let world: Mutex<World>
  let concurrency: ConcurrencyLimiting
  let limiter: RateLimiter
  private let seed: UInt64

  init(seed: UInt64) {
    self.seed = seed
    world = Mutex(World(random: SeededGenerator(seed: seed &+ 1_000_000)))
    concurrency = ConcurrencyLimiting(limit: Self.concurrency, timeSource: clock.timeSource)
    limiter = RateLimiter(limit: Self.rate, timeSource: clock.timeSource)
  }

  /// The server: it takes a while, fails at times, and sends the bodies of some responses later.
  private struct Server: HTTPTransport {
    let story: Story

    func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
      let host = request.url.host() ?? ""
      let (steps, fate) = story.world.withLock { world in
        world.running[host, default: 0] += 1
        if world.running[host]! > 2 { world.violations.append("more than 2 at once at \(host)") }
        if world.running.values.reduce(0, +) > 3 { world.violations.append("more than 3 at once") }
        world.sent.append(story.clock.now.elapsed)
        return (Int.random(in: 0..<4, using: &world.random), Int.random(in: 0..<6, using: &world.random))
      }
      for _ in 0..<steps { await Task.yield() }
      guard fate == 0 else {
        story.leave(host)
        if fate == 1 { throw APIError.transport(.connectionLost) }
        if Task.isCancelled { throw CancellationError() }
        return fate == 2 ? .status(429, fields: [.retryAfter: "3"]) : .text("tip")
      }
      let body = ScriptedBody()
      story.world.withLock { $0.bodies.append(body) }
      return HTTPResponse(body: body.body.onEnd { _ in story.leave(host) })
    }
  }

  private func leave(_ host: String) {
    world.withLock { $0.running[host]! -= 1 }
  }

  private var rated: [any HTTPMiddleware] {
    [RateLimiting(limiter: limiter, timeSource: clock.timeSource), concurrency, RateLimiting.Gate(limiter: limiter)]
  }

  private func call(_ number: Int) async {
    let (isRated, deadline) = world.withLock { world in
      (Bool.random(using: &world.random), Int.random(in: 5...60, using: &world.random))
    }
    let pipeline = Server(story: self).behind(isRated ? rated : [concurrency])
    let request = HTTPRequest(url: URL(string: "https://h\(number % 3).example/\(number)")!)
    let context = RequestContext(deadline: clock.now.elapsed + .seconds(deadline))
    let response = try? await pipeline.send(request, context: context)
    // Read, given up, or dropped.
    switch number % 3 {
    case 0: _ = try? await response?.body.collect(upTo: 100)
    case 1: response?.body.discard()
    default: break
    }
  }

  /// What did not end, or must not have happened; empty when all is well.
  func run() -> [String] {
    var random = SeededGenerator(seed: seed)
    var calls: [Task<Void, Never>] = []
    for _ in 0..<10_000 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0...1 where calls.count < Self.count:
        let number = calls.count
        calls.append(
          Task(executorPreference: executor) { [self] in
            await call(number)
            world.withLock { $0.ended += 1 }
          })
      case 2: calls.randomElement(using: &random)?.cancel()
      case 3: clock.advance(by: .milliseconds(Int.random(in: 0...3_000, using: &random)))
      case 4: world.withLock { $0.bodies.popLast() }?.finish()
      default:
        guard !executor.runOne(&random), calls.count >= Self.count else { continue }
        if world.withLock({ $0.ended }) == calls.count { return left() }
        guard let body = world.withLock({ $0.bodies.popLast() }) else {
          guard let next = clock.sleepers.first else {
            return ["\(calls.count - world.withLock { $0.ended }) calls wait for ever"]
          }
          clock.advance(by: next.elapsed - clock.now.elapsed)
          continue
        }
        body.finish()
      }
    }
    return ["no end after 10,000 steps"]
  }

  private func left() -> [String] {
    var problems = world.withLock { $0.violations }
    if concurrency.places.counts != (0, 0) { problems.append("\(concurrency.places.counts) places are lost") }
    let waiting = (0..<3).map { limiter.waiting(for: Origin(URL(string: "https://h\($0).example/")!)) }
    if waiting != [0, 0, 0] { problems.append("\(waiting) wait for a token") }
    if !clock.sleepers.isEmpty { problems.append("\(clock.sleepers.count) sleepers are left") }
    return problems
  }
}

@Suite(.timeLimit(.minutes(5))) struct LimitInterleavingTests {
  @Test func `2,000 random orders of coming, waiting, going and cancelling lose no place and leave nobody waiting`()
    async
  {
    let problems = await onThread {
      var problems: [String] = []
      for seed in 0..<2_000 as Range<UInt64> where problems.count < 5 {
        problems += Story(seed: seed).run().map { "seed \(seed): \($0)" }
      }
      return problems
    }
    #expect(problems == [])
  }

  @Test func `2,000 random orders of places leave nobody waiting who could have one`() {
    for seed in 0..<2_000 as Range<UInt64> {
      var model = PlaceModel(seed: seed)
      for _ in 0..<60 { model.step() }
      if let problem = model.problem {
        Issue.record("seed \(seed): \(problem)")
        return
      }
    }
  }
}

/// The book of places against one written for being right and not for being fast.
private struct PlaceModel {
  private static let origins = (0..<3).map { Origin(URL(string: "https://h\($0).example/")!) }

  private let limit: ConcurrencyLimit
  private var book: PlaceBook<Int>
  private var random: SeededGenerator
  /// The hosts of those who have a place, and who waits where, the first first.
  private var taken: [Int] = []
  private var waiting: [(id: Int, host: Int, number: Int)] = []
  private var lastID = 0
  private(set) var problem: String?

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    limit = ConcurrencyLimit(
      perHost: [nil, 1, 2].randomElement(using: &random)!, total: [nil, 2, 3].randomElement(using: &random)!, queue: 4)
    book = PlaceBook(limit)
  }

  mutating func step() {
    let host = Int.random(in: 0..<3, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0, 1: come(host)
    case 2: if let place = taken.indices.randomElement(using: &random) { go(place) }
    default: if let place = waiting.indices.randomElement(using: &random) { leave(place) }
    }
    if (book.taken, book.waiting) != (taken.count, waiting.count) { problem = problem ?? "the counts differ" }
  }

  private func hasPlace(_ host: Int) -> Bool {
    taken.count < limit.total ?? .max && taken.count { $0 == host } < limit.perHost ?? .max
  }

  private mutating func come(_ host: Int) {
    lastID += 1
    let isTaken = book.take(Self.origins[host])
    if isTaken != hasPlace(host) { problem = problem ?? "\(isTaken) at \(host)" }
    if isTaken { return taken.append(host) }
    let number = book.join(Self.origins[host], lastID)
    if (number == nil) != (waiting.count { $0.host == host } == limit.queue) { problem = problem ?? "queue at \(host)" }
    if let number { waiting.append((lastID, host, number)) }
  }

  private mutating func go(_ place: Int) {
    let next = book.giveBack(Self.origins[taken.remove(at: place)])
    let expected = waiting.firstIndex { hasPlace($0.host) }
    if next != expected.map({ waiting[$0].id }) { problem = problem ?? "\(next ?? 0) is next" }
    if let expected { taken.append(waiting.remove(at: expected).host) }
  }

  private mutating func leave(_ place: Int) {
    let (_, host, number) = waiting.remove(at: place)
    if !book.leave(Self.origins[host], number: number) { problem = problem ?? "nobody leaves" }
  }
}
