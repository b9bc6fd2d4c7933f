import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The one thread that watches the sockets of every server of the process.
///
/// It is there while a server is: the last reference gone ends it. It waits in `poll`, which is the same on Linux and
/// Darwin, receives for the connections and wakes whoever waits for them; it never runs a handler.
final class EventLoop: Sendable {
  private static let current = Mutex(WeakReference())

  private struct WeakReference {
    weak var loop: EventLoop?
  }

  private let core: Core

  /// The process's loop, started when there is none.
  static func shared() throws(LoopbackStartError) -> EventLoop {
    try current.withLock { reference throws(LoopbackStartError) in
      if let loop = reference.loop { return loop }
      let loop = try EventLoop()
      reference.loop = loop
      return loop
    }
  }

  private init() throws(LoopbackStartError) {
    core = try Core()
    let code = startThread(core.run)
    guard code == 0 else { throw LoopbackStartError(code, address: "", port: 0) }
  }

  deinit {
    core.stop()
  }

  /// Begins to watch `source`, or looks at its wishes again. The source must keep this loop alive.
  func update(_ source: any EventSource) {
    core.update(source)
  }
}

/// What a loop watches: a descriptor with wishes that change.
protocol EventSource: AnyObject, Sendable {
  var descriptor: Int32 { get }

  /// What to watch for now. Called on the loop's thread, after each event and each ``EventLoop/update(_:)``.
  func wishes(at now: ContinuousClock.Instant) -> EventWishes

  /// The descriptor is ready. Called on the loop's thread; `scratch` is free to receive into.
  func handle(isReadable: Bool, isWritable: Bool, scratch: UnsafeMutableRawBufferPointer)

  /// Closes the descriptor, which the loop has let go of. Called on the loop's thread; only the first call does anything.
  func close()
}

/// What an ``EventSource`` wants of its loop.
enum EventWishes {
  /// Tell when it is readable or writable, and ask again at `deadline`.
  case watch(reading: Bool, writing: Bool, deadline: ContinuousClock.Instant?)
  /// Let go of it and close it.
  case close
}

extension EventLoop {
  /// What the thread runs. It does not hold the loop, so that the loop can end it.
  private final class Core: Sendable {
    private struct Inbox {
      var changed: [any EventSource] = []
      var isStopped = false
      var isWakeSent = false
    }

    private let inbox = Mutex(Inbox())
    private let wakeReader: Int32
    private let wakeWriter: Int32

    init() throws(LoopbackStartError) {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw LoopbackStartError(errno, address: "", port: 0) }
      (wakeReader, wakeWriter) = (ends[0], ends[1])
      SystemSocket.prepare(wakeReader)
      SystemSocket.prepare(wakeWriter)
    }

    func update(_ source: any EventSource) {
      inbox.withLock { inbox in
        inbox.changed.append(source)
        wake(&inbox)
      }
    }

    func stop() {
      inbox.withLock { inbox in
        inbox.isStopped = true
        wake(&inbox)
      }
    }

    /// Called under the lock, so that the pipe is not closed at the same time.
    private func wake(_ inbox: inout Inbox) {
      guard !inbox.isWakeSent else { return }
      inbox.isWakeSent = true
      _ = write(wakeWriter, [0], 1)
    }

    func run() {
      let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
      var table = SourceTable(wakeReader: wakeReader)
      while refreshChanged(&table) {
        table.wait()
        if table.wasWoken { acceptWake(scratch) }
        table.handleEvents(scratch: scratch)
      }
      scratch.deallocate()
      inbox.withLock { _ in
        SystemSocket.close(wakeReader)
        SystemSocket.close(wakeWriter)
      }
    }

    /// Looks at the sources that have changed, and holds none of them afterwards: the last one that goes ends the loop.
    /// Returns whether to go on.
    private func refreshChanged(_ table: inout SourceTable) -> Bool {
      let (changed, isStopped) = inbox.withLock { inbox in
        defer { inbox.changed = [] }
        return (inbox.changed, inbox.isStopped)
      }
      for source in changed { table.refresh(source) }
      return !isStopped
    }

    private func acceptWake(_ scratch: UnsafeMutableRawBufferPointer) {
      inbox.withLock { inbox in
        _ = read(wakeReader, scratch.baseAddress, scratch.count)
        inbox.isWakeSent = false
      }
    }
  }
}

/// Runs `body` on a thread of its own, and returns 0 or why there is none.
private func startThread(_ body: @escaping @Sendable () -> Void) -> Int32 {
  let argument = Unmanaged.passRetained(ThreadBody(body))
  #if canImport(Glibc)
  var thread = pthread_t()
  let code = pthread_create(&thread, nil, { runThreadBody($0!) }, argument.toOpaque())
  if code == 0 { pthread_detach(thread) }
  #else
  // Not built by this project's CI, which runs on Linux with Glibc.
  var thread: pthread_t?
  #if canImport(Darwin)
  let code = pthread_create(&thread, nil, { runThreadBody($0) }, argument.toOpaque())
  #else
  let code = pthread_create(&thread, nil, { runThreadBody($0!) }, argument.toOpaque())
  #endif
  if code == 0, let thread { pthread_detach(thread) }
  #endif
  if code != 0 { argument.release() }
  return code
}

private func runThreadBody(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
  return nil
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}
