#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MultipartReader {
  /// The content of a part: an asynchronous sequence of chunks, drawn from the source no faster than they are read.
  public struct Body: AsyncSequence {
    let number: Int
    let reading: MultipartReading

    /// Reads the chunks.
    public struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate let body: Body

      /// The next chunk, never empty; `nil` at the end.
      ///
      /// - Throws: ``MultipartError``, of kind `passedBy` once the reader has gone on to another part; what the source throws.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
        try await body.reading.nextChunk(ofPart: body.number)
      }
    }

    /// Starts reading, or goes on where the last reading stopped.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(body: self)
    }
  }
}

@available(*, unavailable)
extension MultipartReader.Body: Sendable {}
