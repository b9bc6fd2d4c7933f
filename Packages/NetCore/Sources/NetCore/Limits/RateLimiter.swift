import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The token buckets of a client's hosts, and who waits at them.
///
/// The first of a line sleeps until there is a token; the others wait until it is their turn to be first.
final class RateLimiter: Sendable {
  private struct Host: OriginState {
    var bucket: TokenBucket
    /// Until when the server wants to be left alone.
    var pauseEnd = Duration.zero
    /// Whether somebody is at the bucket, waiting for the next token.
    var isAttended = false
    /// Who waits to be that one.
    var line = WaitingLine<Promise<Void>>()
    var lastNumber = 0

    var isInUse: Bool { isAttended || !line.isEmpty }
    func isIdle(at moment: Duration) -> Bool { bucket.isFull(at: moment) }
  }

  /// A token that somebody will get.
  struct Turn {
    fileprivate let origin: Origin
    fileprivate let deadline: Duration?
    /// `nil` for the one who is first.
    fileprivate let place: (number: Int, promise: Promise<Void>)?
  }

  let limit: RateLimit
  private let timeSource: TimeSource
  private let hosts: Mutex<OriginTable<Host>>

  init(limit: RateLimit, timeSource: TimeSource) {
    self.limit = limit
    self.timeSource = timeSource
    hosts = Mutex(OriginTable(Host(bucket: TokenBucket(limit))))
  }

  /// How many wait for a token of `origin`.
  func waiting(for origin: Origin) -> Int {
    hosts.withLock { $0[origin].map { $0.line.count + ($0.isAttended ? 1 : 0) } ?? 0 }
  }

  /// Takes a token of `origin`.
  ///
  /// - Returns: `nil` when it is taken, else the turn to wait for.
  /// - Throws: ``APIError`` of kind `rejected` when the line is full or the token would come after `deadline`.
  func take(_ origin: Origin, until deadline: Duration?) throws -> Turn? {
    let now = timeSource.elapsed
    return try hosts.withLock { hosts in
      try hosts.update(origin, at: now) { host in
        if !host.isAttended, host.bucket.take(at: now) { return nil }
        let others = host.line.count + (host.isAttended ? 1 : 0)
        guard others < limit.queue else {
          throw APIError.queueFull(origin, waiting: others, setting: "RateLimit")
        }
        try check(host.bucket.moment(after: others), for: origin, at: now, deadline)
        guard host.isAttended else {
          host.isAttended = true
          return Turn(origin: origin, deadline: deadline, place: nil)
        }
        let promise = Promise<Void>()
        host.lastNumber += 1
        host.line.append(promise, number: host.lastNumber)
        return Turn(origin: origin, deadline: deadline, place: (host.lastNumber, promise))
      }
    }
  }

  /// Waits for a token.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled; ``APIError`` of kind `rejected` when a pause has moved
  ///   the token past the deadline.
  func wait(for turn: Turn) async throws {
    if let (number, promise) = turn.place {
      do {
        try await promise.value()
      } catch {
        let wasWaiting = hosts.withLock { $0.update(turn.origin) { $0.line.remove(number) } }
        // The turn came while the task was being cancelled: it is the next one's now.
        if !wasWaiting { callNext(turn.origin) }
        throw error
      }
    }
    defer { callNext(turn.origin) }
    while let moment = try tokenOrMoment(turn) { try await timeSource.sleep(until: moment) }
  }

  /// Lets no request go to `origin` for as long as `response` asks for.
  func listen(to response: HTTPResponse, from origin: Origin) {
    guard let pause = ServerPause.asked(by: response, now: timeSource.now), pause > .zero else { return }
    let now = timeSource.elapsed
    let end = now + min(pause, max(limit.maximumPause, .zero))
    hosts.withLock { hosts in
      hosts.update(origin, at: now) { host in
        host.bucket.pause(until: end)
        host.pauseEnd = max(host.pauseEnd, end)
      }
    }
  }

  /// Whether the server of `origin` wants to be left alone.
  func isPaused(_ origin: Origin) -> Bool {
    hosts.withLock { hosts in
      guard let end = hosts[origin]?.pauseEnd, end > .zero else { return false }
      return end > timeSource.elapsed
    }
  }

  /// Takes a token for the one who is first: `nil` when it is taken, else the moment when there will be one.
  private func tokenOrMoment(_ turn: Turn) throws -> Duration? {
    try Task.checkCancellation()
    let now = timeSource.elapsed
    return try hosts.withLock { hosts in
      try hosts.update(turn.origin, at: now) { host in
        if host.bucket.take(at: now) { return nil }
        let moment = host.bucket.moment(after: 0)
        try check(moment, for: turn.origin, at: now, turn.deadline)
        return moment
      }
    }
  }

  private func check(_ moment: Duration, for origin: Origin, at now: Duration, _ deadline: Duration?) throws {
    if let deadline, moment >= deadline { throw APIError.rateLimited(origin, wait: moment - now) }
  }

  /// Lets the next in line be the first.
  private func callNext(_ origin: Origin) {
    let next = hosts.withLock { hosts in
      hosts.update(origin) { host in
        let next = host.line.popFirst()
        host.isAttended = next != nil
        return next
      }
    }
    next?.fulfill(.success(()))
  }
}
