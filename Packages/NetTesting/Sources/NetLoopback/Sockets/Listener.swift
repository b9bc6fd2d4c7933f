import Synchronization

/// A listening socket: accepts while it may, and rests while connections or descriptors have run out.
final class Listener: EventSource {
  /// How long accepting rests when the process has no descriptor left.
  private static let rest = Duration.milliseconds(20)
  /// The most connections accepted before the loop turns to the others.
  private static let batch = 64

  private struct State {
    var isClosing = false
    var isClosed = false
    var restsUntil: ContinuousClock.Instant?
  }

  let descriptor: Int32
  private let state = Mutex(State())
  private let loop: EventLoop
  private let hasRoom: @Sendable () -> Bool
  private let onAccept: @Sendable (_ descriptor: Int32, _ remoteAddress: String) -> Void
  private let onClose: @Sendable () -> Void

  /// A listener that owns `descriptor`.
  init(
    descriptor: Int32, loop: EventLoop, hasRoom: @escaping @Sendable () -> Bool,
    onAccept: @escaping @Sendable (_ descriptor: Int32, _ remoteAddress: String) -> Void,
    onClose: @escaping @Sendable () -> Void
  ) {
    self.descriptor = descriptor
    self.loop = loop
    self.hasRoom = hasRoom
    self.onAccept = onAccept
    self.onClose = onClose
  }

  /// Begins to accept, or looks again whether there is room.
  func update() {
    loop.update(self)
  }

  /// Accepts no more.
  func stop() {
    state.withLock { $0.isClosing = true }
    loop.update(self)
  }

  func wishes(at now: ContinuousClock.Instant) -> EventWishes {
    state.withLock { state in
      if state.isClosing { return .close }
      if let end = state.restsUntil, end > now { return .watch(reading: false, writing: false, deadline: end) }
      state.restsUntil = nil
      return .watch(reading: hasRoom(), writing: false, deadline: nil)
    }
  }

  func handle(isReadable: Bool, isWritable: Bool, scratch: UnsafeMutableRawBufferPointer) {
    for _ in 0..<Self.batch where hasRoom() {
      switch SystemSocket.accept(descriptor) {
      case .accepted(let descriptor, let remoteAddress):
        onAccept(descriptor, remoteAddress)
      case .none:
        return
      case .exhausted:
        state.withLock { $0.restsUntil = ContinuousClock().now + Self.rest }
        return
      }
    }
  }

  func close() {
    let wasOpen = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    guard wasOpen else { return }
    SystemSocket.close(descriptor)
    onClose()
  }
}
