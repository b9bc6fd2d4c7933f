import Foundation
import NetTesting
import Synchronization
import TestSupport
import Testing

@testable import NetCore

@Suite(.timeLimit(.minutes(1))) struct TransferProgressTests {
  @Test func `at most ten reports a second`() {
    var meter = TransferMeter(now: .zero)
    meter.begin(at: 0, total: 1_000, now: .zero)
    let reports = (1...1_000).compactMap { meter.add(1, now: .milliseconds($0)) }
    #expect(reports.map(\.completed) == [100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000])
    #expect(reports.allSatisfy { abs($0.bytesPerSecond - 1_000) < 1 })
  }

  @Test func `the rate follows a change within seconds, and not at once`() {
    var meter = TransferMeter(now: .zero)
    meter.begin(at: 0, total: nil, now: .zero)
    for tenth in 1...100 { _ = meter.add(100, now: .milliseconds(100 * tenth)) }
    #expect(abs(meter.progress.bytesPerSecond - 1_000) < 1)
    for tenth in 101...105 { _ = meter.add(1_000, now: .milliseconds(100 * tenth)) }
    #expect((1_500...3_000).contains(meter.progress.bytesPerSecond))
    for tenth in 106...250 { _ = meter.add(1_000, now: .milliseconds(100 * tenth)) }
    #expect((9_500...10_000).contains(meter.progress.bytesPerSecond))
  }

  @Test func `the rate is the average at first, without the way to the first byte`() {
    var meter = TransferMeter(now: .zero)
    meter.begin(at: 0, total: nil, now: .seconds(5))
    _ = meter.add(10, now: .seconds(5.5))
    #expect(meter.progress.bytesPerSecond == 20)
    _ = meter.add(990, now: .seconds(6))
    #expect(abs(meter.progress.bytesPerSecond - 1_000) < 1)
  }

  @Test func `what is sent again counts for the rate alone`() {
    var meter = TransferMeter(now: .zero)
    meter.begin(at: 0, total: 100, now: .zero)
    _ = meter.add(80, now: .seconds(1))
    meter.begin(at: 0, total: 100, now: .zero)
    #expect(meter.progress.completed == 80)
    _ = meter.add(60, now: .seconds(2))
    #expect(meter.progress.completed == 80)
    #expect((60...80).contains(meter.progress.bytesPerSecond))
    _ = meter.add(40, now: .seconds(3))
    #expect(meter.progress.completed == 100)
  }

  @Test func `other content begins anew`() {
    var meter = TransferMeter(now: .zero)
    meter.begin(at: 0, total: 100, now: .zero)
    _ = meter.add(80, now: .seconds(1))
    meter.begin(at: 0, total: 50, now: .zero)
    #expect(meter.progress == TransferProgress(completed: 0, total: 50, bytesPerSecond: 80))
  }

  @Test func `without a total, the end tells it`() {
    var meter = TransferMeter(now: .zero)
    meter.begin(at: 0, total: nil, now: .zero)
    _ = meter.add(7, now: .zero)
    #expect(meter.progress.fraction == nil)
    let end = meter.end(now: .zero)
    #expect(end == TransferProgress(completed: 7, total: 7))
  }

  struct Estimate: CustomTestStringConvertible {
    let progress: TransferProgress
    let fraction: Double?
    let timeLeft: Duration?

    var testDescription: String { "\(progress.completed) of \(progress.total ?? -1) at \(progress.bytesPerSecond)" }

    init(_ completed: Int64, _ total: Int64?, _ rate: Double, _ fraction: Double?, _ timeLeft: Duration?) {
      progress = TransferProgress(completed: completed, total: total, bytesPerSecond: rate)
      (self.fraction, self.timeLeft) = (fraction, timeLeft)
    }
  }

  @Test(arguments: [
    Estimate(0, nil, 10, nil, nil), Estimate(0, 100, 0, 0, nil), Estimate(50, 100, 10, 0.5, .seconds(5)),
    Estimate(100, 100, 0, 1, .zero), Estimate(0, 0, 0, 1, .zero), Estimate(150, 100, 10, 1, .zero),
    Estimate(0, .max, 0.001, 0, nil),
  ]) func `share and time left`(_ row: Estimate) {
    #expect(row.progress.fraction == row.fraction)
    #expect(row.progress.timeLeft == row.timeLeft)
  }

  @Test func `a slow watcher gets the newest, and the end`() async {
    let feed = ProgressFeed(timeSource: TestClock().timeSource)
    for offset in 0..<1_000 { feed.begin(at: Int64(offset), total: 1_000) }
    feed.add(1)
    feed.complete()
    var seen: [TransferProgress] = []
    for await progress in feed.updates { seen.append(progress) }
    #expect(seen == [TransferProgress(completed: 1_000, total: 1_000)])
  }
}

@Suite(.timeLimit(.minutes(1))) struct UploadTests {
  enum Make: CaseIterable, CustomTestStringConvertible {
    case bytes, file, stream, streamOfUnknownLength

    var testDescription: String { "\(self)" }

    func body(_ content: Data, in folder: TemporaryFolder) throws -> HTTPBody {
      switch self {
      case .bytes: HTTPBody(content)
      case .file: try HTTPBody(file: URL(filePath: folder.write(content, to: "upload")))
      case .stream: HTTPBody(length: Int64(content.count), isReplayable: true) { chunks(content) }
      case .streamOfUnknownLength: HTTPBody(isReplayable: true) { chunks(content) }
      }
    }
  }

  @Test(arguments: Make.allCases) func `progress never falls, and ends at the total`(_ make: Make) async throws {
    let (content, folder) = (someBytes(1_000_000), try TemporaryFolder())
    let body = try make.body(content, in: folder)
    let clock = TestClock()
    let transport = ClosureTransport { request in
      #expect(request.body == content)
      return HTTPResponse(body: HTTPResponse.Body(Data("\"thanks\"".utf8)))
    }
    // Each chunk takes 60 milliseconds.
    let slow = SlowBodies(transport: transport, clock: clock)
    let seen = Seen()
    let answer: String = try await makeClient(slow).upload(
      Endpoint<String>(.put, path: "photo", body: .stream(body, contentType: nil)), timeSource: clock.timeSource,
      progress: seen.watch)
    #expect(answer == "thanks" || answer == "\"thanks\"")
    seen.expectMonotonic(to: 1_000_000)
  }

  @Test func `a transport that takes the body as a whole tells beginning and end`() async throws {
    struct Whole: HTTPTransport {
      func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse { HTTPResponse() }
    }
    let seen = Seen()
    try await makeClient(Whole()).upload(
      Endpoint<Void>(.put, path: "photo", body: .bytes(someBytes(1_000))), progress: seen.watch)
    seen.expectMonotonic(to: 1_000)
  }

  @Test func `a repeated upload does not fall back`() async throws {
    let attempts = Mutex(0)
    let transport = ClosureTransport { _ in
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      return HTTPResponse(status: attempt < 3 ? 503 : 200)
    }
    let client = makeClient(transport) {
      $0.retry.maximumAttempts = 3
      $0.retry.backoff = .none
    }
    let seen = Seen()
    try await client.upload(
      Endpoint<Void>(.put, path: "photo", body: .bytes(someBytes(600_000))), progress: seen.watch)
    #expect(attempts.withLock { $0 } == 3)
    seen.expectMonotonic(to: 600_000)
  }

  @Test func `a failed upload cancels its watcher, and waits for it`() async throws {
    let hasLeft = Mutex(false)
    let client = makeClient(ClosureTransport { _ in throw APIError.transport(.connectionRefused) })
    await #expect(throws: APIError.transport(.connectionRefused)) {
      try await client.upload(Endpoint<Void>(.put, path: "photo", body: .bytes(Data([1])))) { updates in
        for await _ in updates {}
        try? await Task.sleep(for: .seconds(1_000))
        hasLeft.withLock { $0 = true }
      }
    }
    #expect(hasLeft.withLock { $0 })
  }

  @Test func `cancelling the caller cancels the upload`() async throws {
    let clock = TestClock()
    let client = makeClient(
      ClosureTransport { _ in
        try await clock.timeSource.sleep(until: .seconds(1_000))
        return HTTPResponse()
      })
    let task = Task {
      try await client.upload(Endpoint<Void>(.put, path: "photo", body: .bytes(Data([1])))) { updates in
        for await _ in updates {}
      }
    }
    try await clock.waitForSleepers(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `an upload has a week, unless its request says otherwise`() {
    #expect(TransferRequest(base: Endpoint<Void>(path: "a")).timeout == .seconds(604_800))
    #expect(TransferRequest(base: Endpoint<Void>(path: "a", timeout: .seconds(5))).timeout == .seconds(5))
  }
}

/// What a watcher was told.
final class Seen: Sendable {
  private let updates = Mutex<[TransferProgress]>([])

  var watch: ProgressObserver {
    { [self] updates in
      for await progress in updates { self.updates.withLock { $0.append(progress) } }
    }
  }

  func expectMonotonic(to total: Int64, sourceLocation: SourceLocation = #_sourceLocation) {
    let seen = updates.withLock { $0 }
    let isMonotonic = zip(seen, seen.dropFirst()).allSatisfy { $0.completed <= $1.completed }
    #expect(isMonotonic, "\(seen.map(\.completed))", sourceLocation: sourceLocation)
    #expect(seen.last?.completed == total, sourceLocation: sourceLocation)
    #expect(seen.last?.total == total, sourceLocation: sourceLocation)
  }
}

/// Makes every chunk of a request's body take time.
private struct SlowBodies: HTTPTransport {
  let transport: any HTTPTransport
  let clock: TestClock

  func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
    var bytes = Data()
    for try await chunk in request.body {
      clock.advance(by: .milliseconds(60))
      bytes.append(chunk)
    }
    var request = request
    request.body = HTTPBody(bytes)
    return try await transport.send(request, context: context)
  }
}

private func chunks(_ content: Data) -> AsyncStream<Data> {
  AsyncStream { continuation in
    for start in stride(from: 0, to: content.count, by: 70_000) {
      continuation.yield(content.dropFirst(start).prefix(70_000))
    }
    continuation.finish()
  }
}
