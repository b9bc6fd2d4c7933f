import NetCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Brings a request's content to its transfer: a task draws a chunk from the body, lays it here, and draws the next one when
/// the transfer has taken it all.
final class BodyFeed: Sendable {
  enum Taken {
    /// So many bytes; none at the end.
    case bytes(Int)
    /// There is nothing yet: the transfer is told when there is.
    case waiting
    case failed(any Error)
  }

  private enum Ending {
    case complete
    case failed(any Error)
  }

  private struct State {
    var chunk = Data()
    /// How many bytes of `chunk` were taken.
    var taken = 0
    var ending: Ending?
    var hasBegun = false
    var isStopped = false
    var isTransferWaiting = false
    var task: Task<Void, Never>?
    /// The task, waiting until the chunk is taken.
    var supplier: CheckedContinuation<Void, Never>?

    /// Whether a new chunk may be laid here, or never will.
    var isReadyForChunk: Bool { isStopped || (hasBegun && taken == chunk.count) }
  }

  private let body: HTTPBody
  private let state = Mutex(State())

  init(_ body: HTTPBody) {
    self.body = body
  }

  /// Begins to draw chunks once the transfer asks for them; `notify` wakes a transfer that waits.
  func start(notify: @escaping @Sendable () -> Void) {
    let task = Task { await supply(notify: notify) }
    state.withLock { $0.task = task }
  }

  /// Ends the drawing.
  func stop() {
    let (task, supplier) = state.withLock { state in
      state.isStopped = true
      defer { state.supplier = nil }
      return (state.task, state.supplier)
    }
    task?.cancel()
    supplier?.resume()
  }

  /// Whether the transfer may begin again at `offset`: only at the start, before anything was taken.
  func canRewind(to offset: Int64) -> Bool {
    offset == 0 && !state.withLock { $0.hasBegun }
  }

  /// Moves bytes to `room`.
  func take(into room: UnsafeMutableRawBufferPointer) -> Taken {
    let (taken, supplier) = state.withLock { state -> (Taken, CheckedContinuation<Void, Never>?) in
      state.hasBegun = true
      let result = take(into: room, &state)
      guard state.isReadyForChunk else { return (result, nil) }
      defer { state.supplier = nil }
      return (result, state.supplier)
    }
    supplier?.resume()
    return taken
  }

  private func take(into room: UnsafeMutableRawBufferPointer, _ state: inout State) -> Taken {
    let count = min(room.count, state.chunk.count - state.taken)
    if count > 0 {
      let start = state.chunk.startIndex + state.taken
      state.chunk.copyBytes(to: room.bindMemory(to: UInt8.self), from: start..<(start + count))
      state.taken += count
      return .bytes(count)
    }
    switch state.ending {
    case .complete: return .bytes(0)
    case .failed(let error): return .failed(error)
    case nil:
      state.isTransferWaiting = true
      return .waiting
    }
  }

  // MARK: The task

  private func supply(notify: @Sendable () -> Void) async {
    var ending = Ending.complete
    do {
      try await supplyChunks(notify: notify)
    } catch {
      ending = .failed(error)
    }
    lay(notify: notify) { $0.ending = ending }
  }

  private func supplyChunks(notify: @Sendable () -> Void) async throws {
    guard await isWanted() else { return }
    var size: Int64 = 0
    for try await chunk in body where !chunk.isEmpty {
      size += Int64(chunk.count)
      guard size <= body.length ?? .max else { throw wrongLength("more than") }
      lay(notify: notify) { state in
        state.chunk = chunk
        state.taken = 0
      }
      guard await isWanted() else { return }
    }
    guard size == body.length ?? size else { throw wrongLength("only \(size) of") }
  }

  private func wrongLength(_ how: String) -> APIError {
    APIError(
      .invalidRequest,
      reason: "The request's body gave \(how) the \(body.length ?? 0) bytes it announced: "
        + "give its real length, or none.",
      mayHaveReachedServer: true)
  }

  private func lay(notify: @Sendable () -> Void, _ change: (inout State) -> Void) {
    let isTransferWaiting = state.withLock { state in
      change(&state)
      defer { state.isTransferWaiting = false }
      return state.isTransferWaiting
    }
    if isTransferWaiting { notify() }
  }

  /// Waits until the transfer has taken what lies here; `false` when it has ended.
  private func isWanted() async -> Bool {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if !state.isReadyForChunk { state.supplier = continuation }
        return state.isReadyForChunk
      }
      if isReady { continuation.resume() }
    }
    return !state.withLock { $0.isStopped }
  }
}
