public import NetCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension LoopbackRequest {
  /// A request's content: an asynchronous sequence of chunks, received no faster than it is read.
  ///
  /// It is read once, while its request is being answered. A client that asked to be told (`Expect: 100-continue`) is
  /// told to go on by the first read. What the handler leaves unread is skipped when it is short; else the connection
  /// ends with the response.
  public struct Body: Sendable {
    /// The length in bytes that the request states; `nil` for a chunked body.
    public let length: Int64?
    let reader: RequestReader
    let request: Int

    /// All bytes of the body.
    ///
    /// - Parameter limit: The most bytes held in memory. Default: 10 MB (10,000,000 bytes).
    /// - Throws: ``LoopbackError`` with status 413 past the limit, 400 for a malformed or incomplete body, 408 for one
    ///   that stopped coming; `CancellationError`.
    public func collect(upTo limit: Int = 10_000_000) async throws -> Data {
      let tooLarge = LoopbackError(.contentTooLarge, "The content has more than \(limit) bytes.")
      guard (length ?? 0) <= Int64(limit) else { throw tooLarge }
      var bytes = Data()
      for try await chunk in self {
        guard chunk.count <= limit - bytes.count else { throw tooLarge }
        if bytes.isEmpty { bytes = chunk } else { bytes.append(chunk) }
      }
      return bytes
    }

    /// The body decoded from JSON.
    ///
    /// - Throws: What ``collect(upTo:)`` throws; ``LoopbackError`` with status 400 for content of another form.
    public func json<Value: Decodable>(as type: Value.Type = Value.self, upTo limit: Int = 10_000_000) async throws
      -> Value
    {
      let bytes = try await collect(upTo: limit)
      guard let value = try? JSONDecoder().decode(type, from: bytes) else {
        throw LoopbackError.badRequest("The content is not the JSON that is expected here.")
      }
      return value
    }

    /// The trailer fields, known once the body has been read to its end; else none.
    public var trailers: HTTPFields { reader.trailers(of: request) }
  }
}

extension LoopbackRequest.Body: AsyncSequence {
  /// Reads the chunks.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let body: LoopbackRequest.Body

    /// The next chunk, never empty; `nil` at the end.
    ///
    /// - Throws: ``LoopbackError`` for a malformed, incomplete or overdue body, or one whose request has been answered;
    ///   `CancellationError`.
    public mutating func next() async throws -> Data? {
      try await body.reader.nextChunk(of: body.request)
    }
  }

  /// Starts reading, or goes on where the last reading stopped.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(body: self)
  }
}
