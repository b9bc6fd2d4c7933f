import CCurl
import CCurlShim
import NetCore
import Synchronization

/// A thread that runs libcurl, seen from outside: what tasks want goes through here, many wishes with one wakeup.
///
/// The thread starts with the first request. It ends, with its connections, when the transport is gone or shut down and
/// the last exchange has ended, and also after nothing was asked for long enough; a later request starts another.
final class CurlLoop: Sendable {
  enum Command: Sendable {
    case start(Exchange)
    /// A chunk was taken, or there is something to send: go on.
    case proceed(Exchange)
    /// Nobody waits any more: close it.
    case abandon(Exchange)
    case abandonAll
  }

  enum Step {
    case work, poll, end
  }

  private struct State {
    var commands: [Command] = []
    var thread: Thread?
    var isPolling = false
    /// Nobody holds the transport any more.
    var isReleased = false
    var isShutDown = false
    var runningThreads = 0
    var ended: [CheckedContinuation<Void, Never>] = []
  }

  /// A running thread's handle, to wake it.
  ///
  /// Unchecked: the pointer is used for `curl_multi_wakeup` alone, which libcurl allows from every thread, and under the
  /// lock under which it is taken away before the handle is closed.
  private struct Thread: @unchecked Sendable {
    let multi: UnsafeMutableRawPointer
  }

  let configuration: CurlTransport.Configuration
  private let state = Mutex(State())

  init(_ configuration: CurlTransport.Configuration) {
    self.configuration = configuration
  }

  // MARK: The tasks' side

  func start(_ exchange: Exchange) {
    let refusal = state.withLock { state -> (any Error)? in
      if state.isShutDown {
        return APIError(.invalidRequest, reason: "The transport has been shut down: make a new one.")
      }
      state.commands.append(.start(exchange))
      return wake(&state, isNeeded: true)
    }
    if let refusal { exchange.end(.failed(refusal)) }
  }

  func proceed(_ exchange: Exchange) { post(.proceed(exchange)) }

  func abandon(_ exchange: Exchange) { post(.abandon(exchange)) }

  private func post(_ command: Command) {
    state.withLock { state in
      guard state.thread != nil else { return }
      state.commands.append(command)
      _ = wake(&state, isNeeded: false)
    }
  }

  /// Lets the thread end once its exchanges have.
  func release() {
    state.withLock { state in
      state.isReleased = true
      _ = wake(&state, isNeeded: false)
    }
  }

  /// Cancels what is under way, refuses what comes, and waits until the thread has ended.
  func shutdown() async {
    await withCheckedContinuation { continuation in
      let isEnded = state.withLock { state in
        state.isShutDown = true
        if state.thread != nil {
          state.commands.append(.abandonAll)
          _ = wake(&state, isNeeded: false)
        }
        if state.runningThreads > 0 { state.ended.append(continuation) }
        return state.runningThreads == 0
      }
      if isEnded { continuation.resume() }
    }
  }

  /// Sees to it that the thread looks at the commands. One that works will look by itself.
  private func wake(_ state: inout State, isNeeded: Bool) -> (any Error)? {
    if let thread = state.thread {
      guard state.isPolling else { return nil }
      state.isPolling = false
      curl_multi_wakeup(thread.multi)
    } else if isNeeded {
      guard let multi = startThread() else {
        state.commands = []
        return APIError(.transport(.other), reason: "No thread could be started.", mayHaveReachedServer: false)
      }
      state.thread = Thread(multi: multi)
      state.runningThreads += 1
    }
    return nil
  }

  private func startThread() -> UnsafeMutableRawPointer? {
    Libcurl.start()
    guard let multi = curl_multi_init() else { return nil }
    let start = Unmanaged.passRetained(ThreadStart(loop: self, multi: multi))
    let body: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
      let start = Unmanaged<ThreadStart>.fromOpaque(context!).takeRetainedValue()
      CurlEngine(loop: start.loop, multi: start.multi).run()
      curl_multi_cleanup(start.multi)
      start.loop.threadDidEnd()
    }
    guard netcurl_start_thread(body, start.toOpaque()) == 0 else {
      start.release()
      curl_multi_cleanup(multi)
      return nil
    }
    return multi
  }

  // MARK: The thread's side

  /// What has been asked for since the last time.
  func takeCommands(into commands: inout [Command]) {
    state.withLock { state in
      state.isPolling = false
      swap(&state.commands, &commands)
    }
  }

  /// What the thread does next: it looks at commands that came, waits, or ends.
  ///
  /// - Parameters:
  ///   - isIdle: Whether no exchange is under way.
  ///   - isExpired: Whether nothing was for so long that connections need not be kept.
  func nextStep(isIdle: Bool, isExpired: Bool) -> Step {
    state.withLock { state in
      guard state.commands.isEmpty else { return .work }
      if isIdle && (isExpired || state.isReleased || state.isShutDown) {
        state.thread = nil
        return .end
      }
      state.isPolling = true
      return .poll
    }
  }

  private func threadDidEnd() {
    let ended = state.withLock { state in
      state.runningThreads -= 1
      guard state.runningThreads == 0 else { return [CheckedContinuation<Void, Never>]() }
      defer { state.ended = [] }
      return state.ended
    }
    for continuation in ended { continuation.resume() }
  }
}

/// What a new thread is given.
private final class ThreadStart {
  let loop: CurlLoop
  let multi: UnsafeMutableRawPointer

  init(loop: CurlLoop, multi: UnsafeMutableRawPointer) {
    self.loop = loop
    self.multi = multi
  }
}
