import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One accepted connection: received bytes with a bound, sending with back-pressure, limits of time, and an orderly end.
///
/// The loop's thread receives and closes; the connection's task sends, takes what was received and waits.
final class Channel: EventSource {
  /// The most bytes that wait to be taken before the peer is held back; one more receive may come on top.
  private static let inboundLimit = 64 << 10
  /// How long a connection that ended is kept to take in what the peer still sends, so that no reset destroys what it
  /// has not yet read (RFC 9112, section 9.6).
  private static let lingerLimit = Duration.seconds(2)

  typealias Waiter = CheckedContinuation<Void, Never>

  private struct State {
    var inbound: [UInt8] = []
    var peerEnd: PeerEnd?
    var closing: Closing?
    var isClosed = false
    /// Whether the descriptor is in use by a call to send, and cannot be closed.
    var isSending = false
    var isDraining = false
    /// Whether nobody takes what is received any more.
    var isDiscarding = false
    var isIdle = false
    var reader: Waiter?
    var writer: Waiter?
    var leaveWaiters: [Int: Waiter] = [:]
    var lastLeaveWaiter = 0
    var readDeadline: ContinuousClock.Instant?
    var writeDeadline: ContinuousClock.Instant?
    /// When the loop looks at the deadlines next; never later than one of them.
    var scheduled: ContinuousClock.Instant?
    var lingerDeadline: ContinuousClock.Instant?

    /// Takes everybody who waits, to be resumed outside the lock.
    mutating func takeWaiters() -> [Waiter] {
      defer { (reader, writer, leaveWaiters) = (nil, nil, [:]) }
      return [reader, writer].compactMap(\.self) + leaveWaiters.values
    }
  }

  private enum PeerEnd {
    /// It sends no more.
    case ended
    /// The connection is broken.
    case broken
  }

  /// How a connection is ended.
  enum Closing: Sendable {
    /// In order: what was sent arrives, then the end.
    case orderly
    /// At once; a reset when something was not read.
    case immediate
    /// With a reset.
    case reset
  }

  /// Why a read or write did not succeed.
  enum Failure: Error {
    case timedOut
    case closed
  }

  let descriptor: Int32
  let remoteAddress: String
  /// The connection's place in the order of acceptance, from 1.
  let number: Int
  private let loop: EventLoop
  private let clock = ContinuousClock()
  private let state = Mutex(State())
  private let onPeerEnd = Mutex<(@Sendable () -> Void)?>(nil)
  private let onClose: @Sendable (Channel) -> Void

  init(
    descriptor: Int32, remoteAddress: String, number: Int, loop: EventLoop,
    onClose: @escaping @Sendable (Channel) -> Void
  ) {
    self.descriptor = descriptor
    self.remoteAddress = remoteAddress
    self.number = number
    self.loop = loop
    self.onClose = onClose
  }

  /// Says what to do, once, when the peer sends no more, or has sent its last already.
  func whenPeerEnds(_ action: @escaping @Sendable () -> Void) {
    onPeerEnd.withLock { $0 = action }
    if state.withLock({ $0.peerEnd != nil || $0.isClosed }) { reportPeerEnd() }
  }

  private func reportPeerEnd() {
    let action = onPeerEnd.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
  }
}

// MARK: - For the connection's task

extension Channel {
  /// The bytes received since the last call; `nil` once the peer sends no more, or when the server drains and the
  /// connection is idle.
  ///
  /// - Parameters:
  ///   - deadline: When to give up waiting.
  ///   - isIdle: Whether the connection is between two requests.
  /// - Throws: ``Failure``; `CancellationError`.
  func read(until deadline: ContinuousClock.Instant, isIdle: Bool = false) async throws -> [UInt8]? {
    while true {
      if let bytes = try takeInbound(until: deadline, isIdle: isIdle) { return bytes.isEmpty ? nil : bytes }
      try Task.checkCancellation()
      await withTaskCancellationHandler {
        await withCheckedContinuation { park(reader: $0, until: deadline, isIdle: isIdle) }
      } onCancel: {
        state.withLock { state in
          defer { state.reader = nil }
          return state.reader
        }?.resume()
      }
    }
  }

  /// What was received; empty at the end; `nil` when there is nothing yet.
  private func takeInbound(until deadline: ContinuousClock.Instant, isIdle: Bool) throws -> [UInt8]? {
    let (bytes, wasFull) = try state.withLock { state throws -> ([UInt8]?, Bool) in
      if !state.inbound.isEmpty {
        let wasFull = state.inbound.count >= Self.inboundLimit
        var bytes: [UInt8] = []
        swap(&bytes, &state.inbound)
        return (bytes, wasFull)
      }
      if state.isClosed || state.closing != nil || state.peerEnd == .broken { throw Failure.closed }
      if state.peerEnd == .ended || isIdle && state.isDraining { return ([], false) }
      if clock.now >= deadline { throw Failure.timedOut }
      return (nil, false)
    }
    if wasFull { loop.update(self) }
    return bytes
  }

  private func park(reader: Waiter, until deadline: ContinuousClock.Instant, isIdle: Bool) {
    let (mustWait, mustSchedule) = state.withLock { state in
      let hasNews = !state.inbound.isEmpty || state.peerEnd != nil || state.closing != nil || state.isClosed
      guard !hasNews, !(isIdle && state.isDraining), !Task.isCancelled else { return (false, false) }
      state.reader = reader
      state.isIdle = isIdle
      state.readDeadline = deadline
      return (true, state.scheduled.map { deadline < $0 } ?? true)
    }
    if !mustWait { reader.resume() }
    if mustSchedule { loop.update(self) }
  }

  /// Sends all of `bytes`, no faster than the peer takes them. One task sends at a time.
  ///
  /// - Parameter limit: How long the peer may take nothing.
  /// - Throws: ``Failure``.
  func write(_ bytes: some ContiguousBytes & Collection<UInt8>, limit: Duration) async throws {
    var sent = 0
    while sent < bytes.count {
      switch bytes.withUnsafeBytes({ send(UnsafeRawBufferPointer(rebasing: $0[sent...])) }) {
      case .moved(let count): sent += count
      case .wouldBlock: try await waitUntilWritable(until: clock.now + limit)
      case .failed: throw Failure.closed
      }
    }
  }

  /// Sends what the socket takes. The descriptor is not closed meanwhile, and the loop is not held up by a lock.
  private func send(_ bytes: UnsafeRawBufferPointer) -> SystemSocket.Transfer {
    let isOpen = state.withLock { state in
      state.isSending = !state.isClosed && state.closing == nil
      return state.isSending
    }
    guard isOpen else { return .failed }
    let result = SystemSocket.send(descriptor, bytes)
    let mustClose = state.withLock { state in
      state.isSending = false
      return state.closing != nil
    }
    if mustClose { loop.update(self) }
    return result
  }

  private func waitUntilWritable(until deadline: ContinuousClock.Instant) async throws {
    await withCheckedContinuation { waiter in
      let mustWait = state.withLock { state in
        guard !state.isClosed, state.closing == nil else { return false }
        state.writer = waiter
        state.writeDeadline = deadline
        return true
      }
      if mustWait { loop.update(self) } else { waiter.resume() }
    }
    if clock.now >= deadline { throw Failure.timedOut }
  }

  /// Takes in what the peer still sends and drops it, until it sends no more: behind bytes that nobody takes, its end would
  /// never be seen.
  func discardUntilPeerEnds() async {
    state.withLock { state in
      state.isDiscarding = true
      state.inbound = []
    }
    loop.update(self)
    await waitUntilPeerEnds()
  }

  /// Waits until the peer sends no more or the connection is closed; returns at once when the task is cancelled.
  func waitUntilPeerEnds() async {
    let number = state.withLock { state in
      state.lastLeaveWaiter += 1
      return state.lastLeaveWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let mustWait = state.withLock { state in
          guard state.peerEnd == nil, !state.isClosed, state.closing == nil, !Task.isCancelled else { return false }
          state.leaveWaiters[number] = waiter
          return true
        }
        if !mustWait { waiter.resume() }
      }
    } onCancel: {
      state.withLock { $0.leaveWaiters.removeValue(forKey: number) }?.resume()
    }
  }

  /// Ends our side of the connection and leaves the peer's open.
  func endSending() {
    state.withLock { state in
      if !state.isClosed, state.closing == nil { SystemSocket.endSending(descriptor) }
    }
  }

  /// Ends the connection. The first way that is asked for counts, but an orderly end can be cut short.
  func close(_ closing: Closing) {
    let waiters = state.withLock { state in
      if state.closing == nil || state.closing == .orderly { state.closing = closing }
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
    loop.update(self)
  }

  /// Ends the connection once it is idle.
  func drain() {
    let waiter = state.withLock { state in
      state.isDraining = true
      guard state.isIdle else { return nil as Waiter? }
      defer { state.reader = nil }
      return state.reader
    }
    waiter?.resume()
  }

  /// Whether the server drains, so that this connection takes no further request.
  var isDraining: Bool { state.withLock { $0.isDraining } }
}

// MARK: - For the loop

extension Channel {
  func wishes(at now: ContinuousClock.Instant) -> EventWishes {
    let (wishes, waiters) = state.withLock { state in
      if let closing = state.closing, !state.isSending { return (closingWishes(closing, &state, at: now), [Waiter]()) }
      let waiters = takeExpired(&state, at: now)
      // A moment that is planned already stays: to look once too often is cheaper than to wake the loop a request.
      state.scheduled = [state.readDeadline, state.writeDeadline, state.scheduled].lazy
        .compactMap(\.self).filter { $0 > now }.min()
      return (
        .watch(
          reading: state.peerEnd == nil && state.inbound.count < Self.inboundLimit, writing: state.writer != nil,
          deadline: state.scheduled), waiters
      )
    }
    for waiter in waiters { waiter.resume() }
    return wishes
  }

  private func closingWishes(
    _ closing: Closing, _ state: inout State, at now: ContinuousClock.Instant
  ) -> EventWishes {
    guard closing == .orderly, state.peerEnd == nil, !state.isClosed else { return .close }
    if state.lingerDeadline == nil {
      SystemSocket.endSending(descriptor)
      state.lingerDeadline = now + Self.lingerLimit
    }
    guard let deadline = state.lingerDeadline, now < deadline else { return .close }
    return .watch(reading: true, writing: false, deadline: deadline)
  }

  /// Takes who has waited too long. A deadline whose waiter is gone is forgotten.
  private func takeExpired(_ state: inout State, at now: ContinuousClock.Instant) -> [Waiter] {
    var expired: [Waiter] = []
    if state.reader == nil { state.readDeadline = nil }
    if state.writer == nil { state.writeDeadline = nil }
    if let deadline = state.readDeadline, deadline <= now {
      expired += [state.reader].compactMap(\.self)
      (state.reader, state.readDeadline) = (nil, nil)
    }
    if let deadline = state.writeDeadline, deadline <= now {
      expired += [state.writer].compactMap(\.self)
      (state.writer, state.writeDeadline) = (nil, nil)
    }
    return expired
  }

  func handle(isReadable: Bool, isWritable: Bool, scratch: UnsafeMutableRawBufferPointer) {
    if isReadable { receive(into: scratch) }
    if isWritable {
      state.withLock { state in
        defer { state.writer = nil }
        return state.writer
      }?.resume()
    }
  }

  private func receive(into scratch: UnsafeMutableRawBufferPointer) {
    switch SystemSocket.receive(descriptor, into: scratch) {
    case .wouldBlock: return
    case .moved(0): endPeer(.ended)
    case .failed: endPeer(.broken)
    case .moved(let count):
      state.withLock { state in
        guard state.closing == nil, !state.isDiscarding else { return nil as Waiter? }
        state.inbound.append(contentsOf: UnsafeRawBufferPointer(rebasing: scratch[..<count]))
        defer { state.reader = nil }
        return state.reader
      }?.resume()
    }
  }

  private func endPeer(_ end: PeerEnd) {
    let waiters = state.withLock { state in
      state.peerEnd = end
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
    reportPeerEnd()
  }

  func close() {
    let waiters = state.withLock { state in
      guard !state.isClosed else { return nil as [Waiter]? }
      state.isClosed = true
      if state.closing == .reset { SystemSocket.resetOnClose(descriptor) }
      SystemSocket.close(descriptor)
      return state.takeWaiters()
    }
    guard let waiters else { return }
    for waiter in waiters { waiter.resume() }
    reportPeerEnd()
    onClose(self)
  }
}
