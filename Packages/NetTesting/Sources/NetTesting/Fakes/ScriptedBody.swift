public import Foundation
public import NetCore
import Synchronization

/// A response body that is on its way, for tests of whoever reads it: the test sends the chunks, ends it or breaks it.
///
///     let body = ScriptedBody()
///     let transport = ClosureTransport { _ in HTTPResponse(body: body.body) }
///     body.send("first")
///     body.finish()
public final class ScriptedBody: HTTPBodySource {
  private struct State {
    var events: [Result<Data?, any Error>] = []
    var reader: CheckedContinuation<Data?, any Error>?
    var isCancelled = false
    var trailers: HTTPFields = [:]
  }

  private let state = Mutex(State())
  private let cancellation = AsyncStream.makeStream(of: Void.self)

  /// A body of which nothing has come yet.
  public init() {}

  /// The body for a response. It may be put into one response.
  public var body: HTTPResponse.Body {
    HTTPResponse.Body(length: nil, source: self)
  }

  /// Delivers a chunk.
  public func send(_ text: String) {
    deliver(.success(Data(text.utf8)))
  }

  /// Ends the body well.
  public func finish(trailers: HTTPFields = [:]) {
    state.withLock { $0.trailers = trailers }
    deliver(.success(nil))
  }

  /// Breaks the body.
  public func fail(_ error: any Error) {
    deliver(.failure(error))
  }

  /// Whether the reader gave up, or was made to, before the end.
  public var isCancelled: Bool {
    state.withLock { $0.isCancelled }
  }

  /// Returns when the reader has given up; also when the task is cancelled.
  public func cancelled() async {
    for await _ in cancellation.stream {}
  }

  /// The trailer fields given to ``finish(trailers:)``.
  public var trailers: HTTPFields {
    state.withLock { $0.trailers }
  }

  /// The next chunk the test has sent; waits for one.
  public func next() async throws -> Data? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let event: Result<Data?, any Error>? = state.withLock { state in
          if state.isCancelled || Task.isCancelled { return .failure(CancellationError()) }
          if !state.events.isEmpty { return state.events.removeFirst() }
          state.reader = continuation
          return nil
        }
        if let event { continuation.resume(with: event) }
      }
    } onCancel: {
      takeReader()?.resume(throwing: CancellationError())
    }
  }

  /// Notes that the reader gave up, and ends its wait.
  public func cancel() {
    state.withLock { $0.isCancelled = true }
    cancellation.continuation.finish()
    takeReader()?.resume(throwing: CancellationError())
  }

  private func deliver(_ event: Result<Data?, any Error>) {
    let reader = state.withLock { state in
      if state.reader == nil { state.events.append(event) }
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume(with: event)
  }

  private func takeReader() -> CheckedContinuation<Data?, any Error>? {
    state.withLock { state in
      defer { state.reader = nil }
      return state.reader
    }
  }
}
