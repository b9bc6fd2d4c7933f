#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Data {
  /// `content` in the gzip format (RFC 1952), in stored blocks (RFC 1951, section 3.2.4): valid, and not compressed.
  init(gzipping content: Data) {
    self.init([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
    var rest = content[...]
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(block.count)
      append(rest.isEmpty ? 1 : 0)
      append(littleEndian: UInt16(block.count))
      append(littleEndian: ~UInt16(block.count))
      append(block)
    } while !rest.isEmpty
    append(littleEndian: Self.checksum(content))
    append(littleEndian: UInt32(truncatingIfNeeded: content.count))
  }

  private mutating func append(littleEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }

  /// CRC-32.
  private static func checksum(_ bytes: Data) -> UInt32 {
    ~bytes.reduce(~0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1 }
    }
  }
}
