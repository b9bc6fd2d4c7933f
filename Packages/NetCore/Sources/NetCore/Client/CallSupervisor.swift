import Synchronization

/// The calls of a client that are under way: ends each at its deadline, and all of them with the client.
///
/// One timer serves all calls: it sleeps until the earliest deadline it knew when it was set. A call that ends in time
/// leaves it asleep, so that a call costs an entry in a table and not a sleeping task of its own.
final class CallSupervisor: Sendable {
  private struct State {
    var calls: [Int: Interruption] = [:]
    var lastNumber = 0
    var isShutDown = false
    var timer: (deadline: Duration, task: Task<Void, Never>)?
    var drained: [CheckedContinuation<Void, Never>] = []
  }

  private let timeSource: TimeSource
  private let callNumber = Atomic(0)
  private let state = Mutex(State())

  init(timeSource: TimeSource) {
    self.timeSource = timeSource
  }

  deinit {
    state.withLock { $0.timer?.task.cancel() }
  }

  /// The number of a new call, from 1.
  func nextCallNumber() -> Int {
    callNumber.add(1, ordering: .relaxed).newValue
  }

  /// Sends `request` on by `next` until `deadline`. A whole call whose response's body is on its way lasts until that body
  /// ends.
  ///
  /// - Parameter phase: What the deadline is for: the total, or an attempt.
  /// - Throws: What `next` throws; ``APIError/timedOut(_:)`` of the phase at the deadline; `CancellationError` when
  ///   the task or the client ends the call.
  func send(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport, until deadline: Duration?,
    phase: TransportFailure.Phase
  ) async throws -> HTTPResponse {
    let interruption = try begin(phase, until: deadline)
    do {
      let response =
        next.isInterruptible
        ? try await send(request, context: context, next: next, interruptedBy: interruption)
        : try await interruption.run { try await next.send(request, context: context) }
      guard phase == .total, response.body.bufferedBytes == nil else {
        end(interruption)
        // The limit may have passed as the head came: a body that was ended with its attempt is no answer.
        if response.body.bufferedBytes == nil, let reason = interruption.reason {
          response.body.discard()
          throw reason
        }
        return response
      }
      return supervisingBody(of: response, interruption)
    } catch {
      end(interruption)
      throw interruption.reason ?? error
    }
  }

  private func send(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport, interruptedBy interruption: Interruption
  ) async throws -> HTTPResponse {
    let whole = context.interruption
    whole?.onInterruption { _ in interruption.interrupt(CancellationError()) }
    defer { whole?.onInterruption(nil) }
    var context = context
    context.interruption = interruption
    return try await next.send(request, context: context)
  }

  private func supervisingBody(of response: HTTPResponse, _ interruption: Interruption) -> HTTPResponse {
    let body = response.body
    interruption.onInterruption { [weak interruption] error in
      body.abort(throwing: error)
      // Its reader may hold it without reading: the call has ended all the same.
      if let interruption { self.end(interruption) }
    }
    var response = response
    response.body = body.onEnd { [self] _ in end(interruption) }
    return response
  }

  /// Starts `operation`, which nobody waits for, and cancels it at `deadline` or with the client.
  ///
  /// - Returns: Whether it was started, which a client that was shut down refuses.
  func runInBackground(until deadline: Duration, _ operation: @escaping @Sendable () async -> Void) -> Bool {
    guard let call = try? begin(.total, until: deadline, isBackground: true) else { return false }
    let task = Task {
      await operation()
      end(call)
    }
    call.onInterruption { _ in task.cancel() }
    return true
  }

  /// Cancels what nobody waits for.
  func cancelBackground() {
    let calls = state.withLock { $0.calls.values.filter(\.isBackground) }
    for call in calls { call.interrupt(CancellationError()) }
  }

  /// Refuses new calls, cancels those under way if asked to and what nobody waits for, and waits for the last.
  func shutdown(_ mode: HTTPClient.ShutdownMode) async {
    let calls = state.withLock { state in
      state.isShutDown = true
      return Array(state.calls.values)
    }
    for call in calls where mode == .cancelling || call.isBackground { call.interrupt(CancellationError()) }
    await withCheckedContinuation { continuation in
      let isDrained = state.withLock { state in
        if !state.calls.isEmpty { state.drained.append(continuation) }
        return state.calls.isEmpty
      }
      if isDrained { continuation.resume() }
    }
  }

  private func begin(
    _ phase: TransportFailure.Phase, until deadline: Duration?, isBackground: Bool = false
  ) throws -> Interruption {
    try state.withLock { state in
      guard !state.isShutDown || phase != .total else {
        throw APIError.invalidRequest("The client has been shut down: make a new one.")
      }
      state.lastNumber += 1
      let call = Interruption(
        number: state.lastNumber, phase: phase, deadline: deadline, isBackground: isBackground)
      state.calls[call.number] = call
      if let deadline { setTimer(&state, for: deadline) }
      return call
    }
  }

  private func end(_ call: Interruption) {
    // What was to be ended may hold the call: a body's watchers have its context.
    call.onInterruption(nil)
    let drained = state.withLock { state in
      state.calls[call.number] = nil
      guard state.calls.isEmpty else { return [CheckedContinuation<Void, Never>]() }
      defer { state.drained = [] }
      return state.drained
    }
    for continuation in drained { continuation.resume() }
  }

  /// Makes sure that the timer wakes at `deadline` or before.
  private func setTimer(_ state: inout State, for deadline: Duration) {
    if let timer = state.timer {
      guard deadline < timer.deadline else { return }
      timer.task.cancel()
    }
    let timeSource = timeSource
    let task = Task { [weak self] in
      guard (try? await timeSource.sleep(until: deadline)) != nil else { return }
      self?.interruptLateCalls()
    }
    state.timer = (deadline, task)
  }

  private func interruptLateCalls() {
    let now = timeSource.elapsed
    let late = state.withLock { state in
      state.timer = nil
      let (late, early) = state.calls.values.reduce(into: ([Interruption](), [Duration]())) { result, call in
        guard let deadline = call.deadline else { return }
        if deadline <= now { result.0.append(call) } else { result.1.append(deadline) }
      }
      if let next = early.min() { setTimer(&state, for: next) }
      return late
    }
    for call in late { call.interrupt(APIError.timedOut(call.phase)) }
  }
}
