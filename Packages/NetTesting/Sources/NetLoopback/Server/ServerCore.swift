import NetCore
import Synchronization

/// What a server is made of below its public face: its listener, its live connections and its counts.
final class ServerCore: Sendable {
  private struct State {
    var counts = LoopbackServer.Counts()
    var channels: [Int: Channel] = [:]
    var listener: Listener?
    var isAccepting = true
    /// Counts the changes of this state that somebody may wait for.
    var changes = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastWaiter = 0
  }

  let configuration: LoopbackServer.Configuration
  let port: Int
  let date = HTTPDateClock()
  private let loop: EventLoop
  private let state = Mutex(State())
  private let accepted: AsyncStream<Channel>
  private let acceptances: AsyncStream<Channel>.Continuation

  /// A server that listens. It does not hold itself: ``stop()`` must be called for its descriptors to be closed.
  static func listening(
    on host: LoopbackServer.Host, port: Int, configuration: LoopbackServer.Configuration
  ) throws(LoopbackStartError) -> ServerCore {
    guard (0...65_535).contains(port) else { throw .invalidPort(port) }
    let loop = try EventLoop.shared()
    let descriptor = try SystemSocket.listen(address: host.rawValue, port: port, backlog: 1_024)
    let core = ServerCore(loop: loop, port: SystemSocket.port(of: descriptor), configuration: configuration)
    let listener = Listener(
      descriptor: descriptor, loop: loop, hasRoom: { core.hasRoom },
      onAccept: { core.add(descriptor: $0, remoteAddress: $1) }, onClose: { core.listenerHasClosed() })
    core.state.withLock { $0.listener = listener }
    listener.update()
    return core
  }

  private init(loop: EventLoop, port: Int, configuration: LoopbackServer.Configuration) {
    self.loop = loop
    self.port = port
    self.configuration = configuration
    (accepted, acceptances) = AsyncStream.makeStream()
  }

  /// Serves connections until the server is stopped and the last handler has ended.
  func serve(_ handler: @escaping LoopbackServer.Handler) async {
    await withDiscardingTaskGroup { group in
      for await channel in accepted {
        group.addTask { [self] in await serve(channel, handler) }
      }
    }
  }

  /// Serves one connection in a task that can be cancelled alone, which happens when its client leaves.
  private func serve(_ channel: Channel, _ handler: @escaping LoopbackServer.Handler) async {
    let connection = Connection(channel: channel, core: self, handler: handler)
    let task = Task { await connection.serve() }
    if configuration.cancelsHandlersOfLeavingClients {
      // In a task of its own: what a handler does when it is cancelled must not hold up the loop.
      channel.whenPeerEnds { Task { task.cancel() } }
    }
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

// MARK: - Connections

extension ServerCore {
  private var hasRoom: Bool {
    state.withLock { $0.isAccepting && $0.counts.openConnections < configuration.maximumConnections }
  }

  private func add(descriptor: Int32, remoteAddress: String) {
    let (channel, isAccepting) = change { state in
      state.counts.connections += 1
      state.counts.openConnections += 1
      let channel = Channel(
        descriptor: descriptor, remoteAddress: remoteAddress, number: state.counts.connections, loop: loop,
        onClose: { [self] in remove($0) })
      state.channels[channel.number] = channel
      return (channel, state.isAccepting)
    }
    loop.update(channel)
    if isAccepting { acceptances.yield(channel) } else { channel.close(.immediate) }
  }

  private func remove(_ channel: Channel) {
    let fullListener = change { state in
      state.channels[channel.number] = nil
      defer { state.counts.openConnections -= 1 }
      return state.counts.openConnections >= configuration.maximumConnections ? state.listener : nil
    }
    fullListener?.update()
  }

  private func listenerHasClosed() {
    acceptances.finish()
    change { $0.listener = nil }
  }

  func requestBegan() {
    change { state in
      state.counts.requests += 1
      state.counts.activeRequests += 1
    }
  }

  func requestEnded() {
    change { $0.counts.activeRequests -= 1 }
  }
}

// MARK: - Stopping

extension ServerCore {
  /// Accepts no more, and ends connections once they are idle.
  func drain() {
    for channel in stopAccepting() { channel.drain() }
  }

  /// Accepts no more, and closes every connection at once.
  func stop() {
    for channel in stopAccepting() { channel.close(.immediate) }
  }

  private func stopAccepting() -> [Channel] {
    let (listener, channels) = state.withLock { state in
      state.isAccepting = false
      return (state.listener, Array(state.channels.values))
    }
    listener?.stop()
    return channels
  }

  /// Waits until the listener and all connections are closed.
  func waitUntilClosed() async {
    while true {
      let (isClosed, seen) = state.withLock { ($0.listener == nil && $0.channels.isEmpty, $0.changes) }
      if isClosed { return }
      await withCheckedContinuation { park($0, as: nextWaiter(), after: seen) }
    }
  }
}

// MARK: - Counts

extension ServerCore {
  var counts: LoopbackServer.Counts { state.withLock { $0.counts } }

  /// Waits until the counts satisfy `condition`.
  func wait(until condition: (LoopbackServer.Counts) -> Bool) async throws {
    while true {
      let (counts, seen) = state.withLock { ($0.counts, $0.changes) }
      if condition(counts) { return }
      try Task.checkCancellation()
      let number = nextWaiter()
      await withTaskCancellationHandler {
        await withCheckedContinuation { park($0, as: number, after: seen) }
      } onCancel: {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
      }
    }
  }

  /// Changes the state, and wakes who waits for a change.
  private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, waiters) = state.withLock { state in
      state.changes += 1
      defer { if !state.waiters.isEmpty { state.waiters = [:] } }
      return (body(&state), state.waiters)
    }
    for waiter in waiters.values { waiter.resume() }
    return result
  }

  private func nextWaiter() -> Int {
    state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
  }

  /// Lets `waiter` wait for the first change after those that were `seen`.
  private func park(_ waiter: CheckedContinuation<Void, Never>, as number: Int, after seen: Int) {
    let mustWait = state.withLock { state in
      guard state.changes == seen, !Task.isCancelled else { return false }
      state.waiters[number] = waiter
      return true
    }
    if !mustWait { waiter.resume() }
  }
}
