public import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPBody {
  /// This body, compressed with gzip (RFC 1952) while it is sent.
  ///
  /// Holds one chunk of this body and about half a megabyte. The length is not known before the end; it can be sent again
  /// when this body can, and then gives the same bytes. Whoever sends it sets `Content-Encoding: gzip`;
  /// ``GzipRequestBodies`` does both.
  ///
  /// - Parameter level: From 1, fast, to 9, small; any other counts as the nearest. Default: 6.
  public func gzipped(level: Int = 6) -> HTTPBody {
    HTTPBody(isReplayable: isReplayable) {
      GzipChunks(body: self, level: level)
    }
  }
}

/// A body's chunks, compressed: pieces of 64 KiB, and a last one.
private struct GzipChunks: AsyncSequence, Sendable {
  let body: HTTPBody
  let level: Int

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(chunks: body.makeAsyncIterator(), level: level)
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    var chunks: HTTPBody.AsyncIterator
    let level: Int
    var encoder: GzipEncoder?

    mutating func next() async throws -> Data? {
      let encoder = try self.encoder ?? GzipEncoder(level: level)
      self.encoder = encoder
      while !encoder.isAtEnd {
        if encoder.needsInput { encoder.feed(try await chunks.next()) }
        if let piece = encoder.step() { return piece }
        // A large chunk in memory is many steps, between which others on this thread may go on.
        try Task.checkCancellation()
        await Task.yield()
      }
      return nil
    }
  }
}
