#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A part on the wire: its delimiter and fields, then its content.
struct MultipartSection: Sendable {
  /// What stands behind the content: it belongs to the next delimiter.
  static let tail = Data("\r\n".utf8)

  let head: Data
  let body: HTTPBody
}

/// The bytes of a form, in chunks of at most 256 KiB.
///
/// What is small is gathered, so that a form of a hundred fields is one chunk; what is large is passed on as it was read,
/// without a copy. At most one chunk of a part is held.
struct MultipartChunks: AsyncSequence, Sendable {
  let sections: [MultipartSection]
  let end: Data

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(sections: sections[...], end: end)
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    /// The most bytes of a chunk.
    private static let maximumSize = 256 << 10
    /// The most bytes that are gathered in a chunk.
    private static let gatheredSize = 64 << 10

    private var sections: ArraySlice<MultipartSection>
    private var end: Data?
    /// The content of the part that is being sent.
    private var content: MultipartContent?
    /// Small pieces, in front of `rest`.
    private var gathered = Data()
    /// What is left of a large piece.
    private var rest = Data()

    init(sections: ArraySlice<MultipartSection>, end: Data) {
      self.sections = sections
      self.end = end
    }

    mutating func next() async throws -> Data? {
      while rest.isEmpty {
        guard let piece = try await nextPiece() else { return gathered.isEmpty ? nil : takeGathered() }
        if gathered.count + piece.bytes.count <= Self.gatheredSize {
          gathered.append(piece.bytes)
          // What was waited for goes on at once.
          if !piece.isReady && !gathered.isEmpty { return takeGathered() }
        } else {
          rest = piece.bytes
        }
      }
      return gathered.isEmpty ? takeRest() : takeGathered()
    }

    private mutating func nextPiece() async throws -> (bytes: Data, isReady: Bool)? {
      if var content {
        let chunk = try await content.next()
        self.content = chunk == nil ? nil : content
        return chunk.map { ($0, content.isInMemory) } ?? (MultipartSection.tail, true)
      }
      if let section = sections.popFirst() {
        content = MultipartContent(section.body)
        return (section.head, true)
      }
      return end.take().map { ($0, true) }
    }

    private mutating func takeGathered() -> Data {
      defer { gathered = Data() }
      return gathered
    }

    private mutating func takeRest() -> Data {
      let chunk = rest.prefix(Self.maximumSize)
      rest = chunk.count == rest.count ? Data() : rest.dropFirst(chunk.count)
      return chunk
    }
  }
}

/// The content of one part, which must have the length that it states: else it would move the parts behind it.
private struct MultipartContent {
  let isInMemory: Bool
  private var chunks: HTTPBody.AsyncIterator
  private var missing: Int64?

  init(_ body: HTTPBody) {
    isInMemory = if case .bytes = body.content { true } else { false }
    chunks = body.makeAsyncIterator()
    missing = body.length
  }

  mutating func next() async throws -> Data? {
    let chunk = try await chunks.next()
    guard let missing else { return chunk }
    self.missing = missing - Int64(chunk?.count ?? 0)
    if let left = self.missing, left < 0 || (left > 0 && chunk == nil) {
      throw APIError(
        .invalidRequest, reason: "A part of the form has \(left < 0 ? "more" : "fewer") bytes than its length says.",
        mayHaveReachedServer: true)
    }
    return chunk
  }
}
