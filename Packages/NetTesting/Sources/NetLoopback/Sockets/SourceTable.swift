#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What an ``EventLoop`` watches, in the form `poll` wants it. Slot 0 is the pipe that wakes the loop.
struct SourceTable {
  private var polls: [pollfd]
  private var sources: [(any EventSource)?] = [nil]
  private var deadlines: [ContinuousClock.Instant?] = [nil]
  private var slots: [ObjectIdentifier: Int] = [:]
  private let clock = ContinuousClock()

  init(wakeReader: Int32) {
    polls = [pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0)]
  }

  /// Whether the last wait was ended by the pipe.
  var wasWoken: Bool { polls[0].revents != 0 }

  /// Waits until something is ready or the next deadline.
  mutating func wait() {
    let next = deadlines.lazy.compactMap(\.self).min()
    let timeout = next.map { Self.milliseconds(until: $0, from: clock.now) } ?? -1
    if poll(&polls, nfds_t(polls.count), timeout) < 0 {
      // Interrupted, or out of memory for a moment: nothing is ready.
      for slot in polls.indices { polls[slot].revents = 0 }
    }
  }

  /// Tells the sources that are ready, and asks those again whose deadline has come.
  mutating func handleEvents(scratch: UnsafeMutableRawBufferPointer) {
    let now = clock.now
    // Backwards: a slot that is removed is filled with the last one, which was looked at already.
    for slot in polls.indices.dropFirst().reversed() {
      let events = Int32(polls[slot].revents)
      guard let source = sources[slot] else { continue }
      if events != 0 {
        let isBroken = events & (Int32(POLLERR) | Int32(POLLHUP) | Int32(POLLNVAL)) != 0
        let isReadable = events & Int32(POLLIN) != 0 || isBroken && polls[slot].events & Int16(POLLIN) != 0
        source.handle(isReadable: isReadable, isWritable: events & Int32(POLLOUT) != 0 || isBroken, scratch: scratch)
        refresh(source, at: now)
      } else if let deadline = deadlines[slot], deadline <= now {
        refresh(source, at: now)
      }
    }
  }

  /// Asks `source` for its wishes and watches accordingly.
  mutating func refresh(_ source: any EventSource) {
    refresh(source, at: clock.now)
  }

  private mutating func refresh(_ source: any EventSource, at now: ContinuousClock.Instant) {
    switch source.wishes(at: now) {
    case .watch(let reading, let writing, let deadline):
      let slot = slots[ObjectIdentifier(source)] ?? add(source)
      // A descriptor that nothing is wanted of is not watched at all: `poll` would report its errors again and again.
      polls[slot].fd = reading || writing ? source.descriptor : -1
      polls[slot].events = (reading ? Int16(POLLIN) : 0) | (writing ? Int16(POLLOUT) : 0)
      deadlines[slot] = deadline
    case .close:
      if let slot = slots[ObjectIdentifier(source)] { remove(source, from: slot) }
      source.close()
    }
  }

  private mutating func add(_ source: any EventSource) -> Int {
    polls.append(pollfd(fd: -1, events: 0, revents: 0))
    sources.append(source)
    deadlines.append(nil)
    slots[ObjectIdentifier(source)] = polls.count - 1
    return polls.count - 1
  }

  private mutating func remove(_ source: any EventSource, from slot: Int) {
    polls.swapAt(slot, polls.count - 1)
    sources.swapAt(slot, sources.count - 1)
    deadlines.swapAt(slot, deadlines.count - 1)
    polls.removeLast()
    sources.removeLast()
    deadlines.removeLast()
    slots[ObjectIdentifier(source)] = nil
    if slot < sources.count, let moved = sources[slot] { slots[ObjectIdentifier(moved)] = slot }
  }

  /// Rounded up, so that the loop does not wake before the deadline.
  private static func milliseconds(until deadline: ContinuousClock.Instant, from now: ContinuousClock.Instant) -> Int32
  {
    let (seconds, attoseconds) = now.duration(to: deadline).components
    guard seconds < 3_600 else { return 3_600_000 }
    return Int32(max(0, seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1))
  }
}
