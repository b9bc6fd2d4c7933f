#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A request's content: bytes, a file, or a stream made by a factory (RFC 9110, section 6.4).
///
/// A body states its ``length`` when it knows it, and whether it ``isReplayable``: what can be sent again after a failure.
/// It is an `AsyncSequence` of chunks, which is how a transport without a better way sends it.
public struct HTTPBody: Sendable {
  /// What a body is made of, for transports that have a better way to send bytes or a file than chunk by chunk.
  public enum Content: Sendable {
    /// Bytes in memory.
    case bytes(Data)
    /// The regular file at a path.
    case file(path: String)
    /// Chunks from a factory.
    case stream
  }

  /// What the body is made of.
  public let content: Content
  /// The length in bytes; `nil` when it is not known before the end.
  public let length: Int64?
  /// Whether the body can be sent more than once: bytes and files always can, a stream as declared.
  public let isReplayable: Bool
  /// Whether somebody counts the chunks as they are taken: a transport that can send the body either way, as its ``content``
  /// or chunk by chunk, takes the chunks.
  public private(set) var isWatched = false
  private var chunks: @Sendable () -> AsyncIterator

  /// No content.
  public static let empty = HTTPBody(Data())

  /// A body of bytes in memory.
  public init(_ bytes: Data) {
    content = .bytes(bytes)
    length = Int64(bytes.count)
    isReplayable = true
    chunks = {
      var rest = bytes.isEmpty ? nil : bytes
      return AsyncIterator {
        defer { rest = nil }
        return rest
      }
    }
  }

  /// A body read from a file while it is sent, never held in memory as a whole.
  ///
  /// The file must not change until the request has ended; one whose length changed fails the request while it is read.
  /// - Throws: ``APIError`` of kind `invalidRequest` when `file` is not a readable regular file.
  public init(file: URL) throws {
    let path = file.path
    let length = try FileIO.length(ofFileAt: path)
    content = .file(path: path)
    self.length = length
    isReplayable = true
    chunks = {
      let reader = FileReader(path: path, length: length)
      return AsyncIterator { try await reader.next() }
    }
  }

  /// A body made of a sequence of chunks.
  ///
  /// - Parameters:
  ///   - length: The length in bytes when it is known; a sequence of another length fails the request.
  ///   - isReplayable: Whether `make` may be called again and then gives the same bytes. When it is `false`, `make` is
  ///     called once, and a request that would have to be sent again fails with the first failure.
  ///   - make: Makes the sequence, once for each time the body is sent.
  public init<Chunks: AsyncSequence & SendableMetatype>(
    length: Int64? = nil, isReplayable: Bool, stream make: @escaping @Sendable () -> Chunks
  ) where Chunks.Element == Data, Chunks.AsyncIterator: SendableMetatype {
    let attempts = isReplayable ? nil : OneShot()
    content = .stream
    self.length = length
    self.isReplayable = isReplayable
    chunks = {
      guard attempts?.take() ?? true else {
        return AsyncIterator {
          throw APIError.invalidRequest("This body can be sent only once, and was: make a new request with a new body.")
        }
      }
      var iterator = make().makeAsyncIterator()
      return AsyncIterator { try await iterator.next(isolation: #isolation) }
    }
  }

  /// Whether the body is known to have no bytes.
  public var isEmpty: Bool { length == 0 }

  /// This body, whose chunks go through `watch` each time it is sent.
  func watched(_ watch: @escaping @Sendable (AsyncIterator) -> AsyncIterator) -> HTTPBody {
    var body = self
    let chunks = chunks
    body.isWatched = true
    body.chunks = { watch(chunks()) }
    return body
  }

  /// All bytes of the body.
  /// - Throws: ``APIError`` of kind `tooLarge` when there are more than `limit` bytes, and what reading throws.
  public func collect(upTo limit: Int) async throws -> Data {
    if case .bytes(let bytes) = content, bytes.count <= limit, !isWatched { return bytes }
    return try await Data(collecting: self, upTo: limit, expecting: length)
  }
}

extension HTTPBody: AsyncSequence {
  /// The chunks of one sending.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let pull: () async throws -> Data?

    init(_ pull: @escaping () async throws -> Data?) {
      self.pull = pull
    }

    /// The next chunk; `nil` at the end.
    public mutating func next() async throws -> Data? {
      try await pull()
    }
  }

  /// Starts one sending of the body.
  public func makeAsyncIterator() -> AsyncIterator {
    chunks()
  }
}
