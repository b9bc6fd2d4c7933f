#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Data {
  /// The bytes of all chunks.
  ///
  /// - Parameters:
  ///   - limit: The most bytes held in memory.
  ///   - expected: The length that was announced, when one was: past the limit nothing is read.
  /// - Throws: ``APIError`` of kind `tooLarge` past the limit, and what reading throws.
  init<Chunks: AsyncSequence>(collecting chunks: Chunks, upTo limit: Int, expecting expected: Int64?) async throws
  where Chunks.Element == Data {
    guard (expected ?? 0) <= Int64(limit) else { throw APIError.tooLarge(limit: limit) }
    var bytes = Data()
    for try await chunk in chunks {
      guard chunk.count <= limit - bytes.count else { throw APIError.tooLarge(limit: limit) }
      if bytes.isEmpty {
        bytes = chunk
        if let expected, expected > Int64(chunk.count) { bytes.reserveCapacity(Int(Swift.min(expected, 16 << 20))) }
      } else {
        bytes.append(chunk)
      }
    }
    self = bytes
  }
}
