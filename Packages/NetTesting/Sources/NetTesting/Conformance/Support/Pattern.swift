import Foundation
import Synchronization

/// Bytes that show when some are lost, doubled or out of place.
enum Pattern {
  /// A prime number of bytes, so that the size of no buffer is a multiple of it.
  private static let block = Data((0..<8_191).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
  private static let blocks = (0..<40).reduce(into: Data()) { bytes, _ in bytes.append(block) }

  /// The first `count` bytes.
  static func bytes(_ count: Int) -> Data {
    var bytes = Data(capacity: count + blocks.count)
    while bytes.count < count { bytes.append(blocks) }
    return bytes.prefix(count)
  }

  /// The first `count` bytes in chunks of up to 100,003.
  static func chunks(_ count: Int) -> AsyncStream<Data> {
    let sent = Mutex(0)
    return AsyncStream {
      sent.withLock { sent in
        guard sent < count else { return nil }
        let size = min(100_003, count - sent)
        defer { sent += size }
        return slice(at: sent, size)
      }
    }
  }

  /// Whether `chunk` is what stands at `offset`.
  static func matches(_ chunk: Data, at offset: Int) -> Bool {
    var checked = 0
    while checked < chunk.count {
      let size = min(200_000, chunk.count - checked)
      guard chunk.dropFirst(checked).prefix(size) == slice(at: offset + checked, size) else { return false }
      checked += size
    }
    return true
  }

  private static func slice(at offset: Int, _ count: Int) -> Data {
    blocks.dropFirst(offset % block.count).prefix(count)
  }
}
