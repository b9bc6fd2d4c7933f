import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension HTTPResponse {
  /// A response's content: an asynchronous sequence of chunks with back-pressure.
  ///
  /// A body that is still on its way is read once, chunk by chunk, and the transport receives no faster than it is read.
  /// Dropped unread, or after a part, it closes its exchange; ``discard()`` does that at once. A body that was collected
  /// (``bufferedBytes``) holds nothing open and may be read again.
  public struct Body: Sendable {
    private enum Storage: Sendable {
      case buffered(Data, trailers: HTTPFields)
      case streamed(Reading)
    }

    private let storage: Storage
    /// The length in bytes that the response announced; `nil` when it announced none.
    public let length: Int64?

    /// No content.
    public static let empty = Body(Data())

    /// A body that is there already.
    public init(_ bytes: Data, trailers: HTTPFields = [:]) {
      storage = .buffered(bytes, trailers: trailers)
      length = Int64(bytes.count)
    }

    /// A body that a transport delivers.
    ///
    /// - Parameters:
    ///   - length: The announced length in bytes, when there is one.
    ///   - source: Delivers the chunks; it is cancelled when the body is dropped before its end.
    public init(length: Int64?, source: any HTTPBodySource) {
      storage = .streamed(Reading(source))
      self.length = length
    }

    /// All bytes, when the body was collected; `nil` while it is on its way. Looking at them reads nothing.
    public var bufferedBytes: Data? {
      if case .buffered(let bytes, _) = storage { bytes } else { nil }
    }

    /// The trailer fields (RFC 9110, section 6.5), known once the body has been read to its end; else none.
    public var trailers: HTTPFields {
      switch storage {
      case .buffered(_, let trailers): trailers
      case .streamed(let reading): reading.trailers
      }
    }

    /// All bytes of the body.
    ///
    /// - Parameter limit: The most bytes held in memory.
    /// - Throws: ``APIError`` of kind `tooLarge` for a body of more bytes, which is then discarded; what the transport
    ///   throws for a body cut short; `CancellationError`.
    public func collect(upTo limit: Int) async throws -> Data {
      do {
        if let bytes = bufferedBytes, bytes.count <= limit { return bytes }
        return try await Data(collecting: self, upTo: limit, expecting: length)
      } catch {
        discard()
        throw error
      }
    }

    /// Gives up what was not read and closes the exchange. Does nothing to a body that ended.
    public func discard() {
      if case .streamed(let reading) = storage { reading.end(throwing: nil) }
    }

    /// The next chunk of a body on its way, `nil` at its end, for a stage that passes the body on by a source of its own.
    /// One that was collected has none.
    ///
    /// - Throws: As reading the body does.
    public func nextChunk() async throws -> Data? {
      guard case .streamed(let reading) = storage else { return nil }
      return try await reading.next()
    }

    /// Ends the body with `error`, also for a reader that waits for its next chunk.
    func abort(throwing error: any Error) {
      if case .streamed(let reading) = storage { reading.end(throwing: error) }
    }
  }
}

extension HTTPResponse.Body: AsyncSequence {
  /// Reads the chunks.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate enum State {
      case buffered(Data?)
      case streamed(Reading)
      case unreadable
    }

    fileprivate var state: State

    /// The next chunk; `nil` at the end.
    ///
    /// - Throws: ``APIError`` for a body cut short or read a second time, `CancellationError` when the task is cancelled.
    public mutating func next() async throws -> Data? {
      switch state {
      case .buffered(let rest):
        state = .buffered(nil)
        return rest
      case .streamed(let reading):
        return try await reading.next()
      case .unreadable:
        throw APIError.invalidRequest("A response's body can be read once: collect it if it is needed twice.")
      }
    }
  }

  /// Starts reading.
  public func makeAsyncIterator() -> AsyncIterator {
    switch storage {
    case .buffered(let bytes, _): AsyncIterator(state: .buffered(bytes.isEmpty ? nil : bytes))
    case .streamed(let reading): AsyncIterator(state: reading.start() ? .streamed(reading) : .unreadable)
    }
  }
}

/// What a transport gives for a body that is on its way.
public protocol HTTPBodySource: AnyObject, Sendable {
  /// The next chunk, `nil` at the end. Called by one reader at a time, never again after `nil` or an error.
  ///
  /// - Throws: ``APIError`` for a body cut short; `CancellationError` at once when the task or the source is cancelled.
  func next() async throws -> Data?

  /// Closes the exchange and ends a waiting ``next()``. May come at any time, from any thread, and more than once.
  func cancel()

  /// The trailer fields; asked for after the end.
  var trailers: HTTPFields { get }
}

/// The one reading of a body: closes its source when it ends early or is dropped.
private final class Reading: Sendable {
  private enum State {
    case unread
    case reading
    case ended
    case aborted(any Error)
  }

  private let source: any HTTPBodySource
  private let state = Mutex(State.unread)

  init(_ source: any HTTPBodySource) {
    self.source = source
  }

  deinit {
    end(throwing: nil)
  }

  var trailers: HTTPFields {
    if case .ended = state.withLock({ $0 }) { source.trailers } else { [:] }
  }

  func start() -> Bool {
    state.withLock { state in
      switch state {
      case .unread:
        state = .reading
        return true
      case .aborted:
        return true
      case .reading, .ended:
        return false
      }
    }
  }

  func next() async throws -> Data? {
    try checkProgress()
    do {
      let chunk = try await source.next()
      try checkProgress()
      if chunk == nil { state.withLock { $0 = .ended } }
      return chunk
    } catch {
      try checkProgress()
      end(throwing: error)
      throw error
    }
  }

  private func checkProgress() throws {
    if case .aborted(let error) = state.withLock({ $0 }) { throw error }
  }

  func end(throwing error: (any Error)?) {
    let wasOpen = state.withLock { state in
      switch state {
      case .ended, .aborted:
        return false
      case .unread, .reading:
        state = error.map(State.aborted) ?? .ended
        return true
      }
    }
    if wasOpen { source.cancel() }
  }
}
