import NetCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where the two sides of an exchange meet: the caller's task waits and takes, the loop's thread brings.
///
/// The thread runs ahead of the reader by one chunk here and one buffer of its own; then it pauses until it is told that a
/// chunk was taken.
final class Exchange: Sendable {
  enum Ending: Sendable {
    case complete(trailers: [UInt8])
    case failed(any Error)
  }

  private struct State {
    var opening: CheckedContinuation<ReceivedHead, any Error>?
    var reading: CheckedContinuation<Data?, any Error>?
    var chunks: [Data] = []
    var isLoopWaiting = false
    var ending: Ending?
  }

  let request: WireRequest
  private let loop: CurlLoop
  private let state = Mutex(State())

  init(_ request: WireRequest, on loop: CurlLoop) {
    self.request = request
    self.loop = loop
  }

  /// Sends the request and waits for the response: for its head, or when it is to be collected, for its body too.
  func open() async throws -> ReceivedHead {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let refusal = state.withLock { state -> (any Error)? in
          if case .failed(let error) = state.ending { return error }
          state.opening = continuation
          return nil
        }
        if let refusal { return continuation.resume(throwing: refusal) }
        loop.start(self)
      }
    } onCancel: {
      cancel()
    }
  }

  var isEnded: Bool { state.withLock { $0.ending != nil } }

  /// Tells the loop that there is something to send.
  func proceed() { loop.proceed(self) }

  // MARK: The loop's side

  /// Brings the head; with `content` the response is complete.
  func bring(_ head: ReceivedHead) {
    let opening = state.withLock { state in
      if head.content != nil, state.ending == nil { state.ending = .complete(trailers: head.trailers) }
      defer { state.opening = nil }
      return state.opening
    }
    opening?.resume(returning: head)
  }

  /// Brings a chunk, unless one waits to be taken already: then the loop is told once it was.
  func bring(_ chunk: () -> Data) -> Bool {
    let (isTaken, reading) = state.withLock { state -> (Bool, CheckedContinuation<Data?, any Error>?) in
      guard state.ending == nil else {
        _ = chunk()
        return (true, nil)
      }
      if let reading = state.reading {
        state.reading = nil
        return (true, reading)
      }
      state.isLoopWaiting = !state.chunks.isEmpty
      if !state.isLoopWaiting { state.chunks.append(chunk()) }
      return (!state.isLoopWaiting, nil)
    }
    reading?.resume(returning: chunk())
    return isTaken
  }

  /// Ends the exchange: with a last chunk, and then well or with an error.
  func end(_ ending: Ending, last chunk: Data? = nil) {
    typealias Waiters = (CheckedContinuation<ReceivedHead, any Error>?, CheckedContinuation<Data?, any Error>?)
    let (opening, reading) = state.withLock { state -> Waiters in
      guard state.ending == nil else { return (nil, nil) }
      state.ending = ending
      defer { (state.opening, state.reading) = (nil, nil) }
      if let chunk, state.reading == nil { state.chunks.append(chunk) }
      return (state.opening, state.reading)
    }
    if case .failed(let error) = ending { opening?.resume(throwing: error) }
    if let chunk { return reading?.resume(returning: chunk) ?? () }
    switch ending {
    case .complete: reading?.resume(returning: nil)
    case .failed(let error): reading?.resume(throwing: error)
    }
  }
}

extension Exchange: HTTPBodySource {
  func next() async throws -> Data? {
    try Task.checkCancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { read($0) }
    } onCancel: {
      cancel()
    }
  }

  private func read(_ continuation: CheckedContinuation<Data?, any Error>) {
    let (result, isLoopWaiting) = state.withLock { state -> (Result<Data?, any Error>?, Bool) in
      if !state.chunks.isEmpty {
        defer { state.isLoopWaiting = false }
        return (.success(state.chunks.removeFirst()), state.isLoopWaiting)
      }
      switch state.ending {
      case .complete: return (.success(nil), false)
      case .failed(let error): return (.failure(error), false)
      case nil:
        state.reading = continuation
        return (nil, false)
      }
    }
    if isLoopWaiting { loop.proceed(self) }
    if let result { continuation.resume(with: result) }
  }

  func cancel() {
    typealias Waiters = (CheckedContinuation<ReceivedHead, any Error>?, CheckedContinuation<Data?, any Error>?)
    let (wasOpen, waiters) = state.withLock { state -> (Bool, Waiters) in
      let wasOpen = state.ending == nil
      state.ending = .failed(CancellationError())
      state.chunks = []
      defer { (state.opening, state.reading) = (nil, nil) }
      return (wasOpen, (state.opening, state.reading))
    }
    waiters.0?.resume(throwing: CancellationError())
    waiters.1?.resume(throwing: CancellationError())
    if wasOpen { loop.abandon(self) }
  }

  var trailers: HTTPFields {
    guard case .complete(let bytes) = state.withLock({ $0.ending }) else { return [:] }
    return (try? HTTPFields(trailerLines: bytes)) ?? [:]
  }
}
