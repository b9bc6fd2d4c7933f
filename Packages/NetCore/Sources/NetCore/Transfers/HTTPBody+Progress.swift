#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPBody {
  /// This body, whose bytes are counted as the transport takes them. Sent again, it begins again.
  func counted(by feed: ProgressFeed) -> HTTPBody {
    let length = length
    feed.begin(at: 0, total: length)
    return watched { chunks in
      feed.begin(at: 0, total: length)
      var counted = CountedChunks(chunks, feed)
      return AsyncIterator { try await counted.next() }
    }
  }
}

/// A body's chunks, none of them so large that the progress would jump.
private struct CountedChunks {
  private static let maximumSize = 256 << 10

  private var chunks: HTTPBody.AsyncIterator
  private let feed: ProgressFeed
  private var rest = Data()
  /// The bytes that the transport was given last: it has taken them when it asks for more.
  private var given = 0

  init(_ chunks: HTTPBody.AsyncIterator, _ feed: ProgressFeed) {
    self.chunks = chunks
    self.feed = feed
  }

  mutating func next() async throws -> Data? {
    if given > 0 { feed.add(given) }
    given = 0
    if rest.isEmpty { rest = try await chunks.next() ?? Data() }
    let chunk = rest.prefix(Self.maximumSize)
    rest = rest.dropFirst(chunk.count)
    given = chunk.count
    return chunk.isEmpty ? nil : chunk
  }
}
