import CZlib
import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Encodes a gzip stream (RFC 1952) piece by piece. The same bytes give the same stream, since its header holds no time.
final class GzipEncoder {
  /// The most bytes of one encoded piece.
  static let pieceSize = 64 << 10
  /// The most bytes that one step takes: some milliseconds of work.
  private static let stepSize = 256 << 10

  /// Allocated, because zlib keeps its address.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private var input = Data()
  private var hasAllInput = false
  private var output = Data(count: pieceSize)
  private var filled = 0
  /// Whether the stream's last byte was given.
  private(set) var isAtEnd = false

  /// - Parameter level: From 1, fast, to 9, small; any other counts as the nearest.
  /// - Throws: `APIError` of kind `transport(.other)` when there is no memory for it.
  init(level: Int) throws {
    stream.initialize(to: z_stream())
    // 15 is the largest window, 16 more asks for gzip's wrapper; 8 is zlib's usual memory: 256 KiB in all.
    let result = deflateInit2_(
      stream, Int32(min(max(level, 1), 9)), Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard result == Z_OK else { throw APIError(.transport(.other), reason: "zlib could not begin.") }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Whether everything that was fed is taken.
  var needsInput: Bool { input.isEmpty && !hasAllInput }

  /// Gives the next bytes, once ``needsInput``; `nil` at their end.
  func feed(_ bytes: Data?) {
    if let bytes { input = bytes } else { hasAllInput = true }
  }

  /// Does one step. Returns a full piece, or the last one; `nil` when there is none yet.
  func step() -> Data? {
    let (result, consumed, produced) = output.withUnsafeMutableBytes { output in
      input.withUnsafeBytes { deflate($0, into: UnsafeMutableRawBufferPointer(rebasing: output[filled...])) }
    }
    input = consumed == input.count ? Data() : input.dropFirst(consumed)
    filled += produced
    isAtEnd = result == Z_STREAM_END
    guard filled == output.count || isAtEnd else { return nil }
    let piece = output.prefix(filled)
    (output, filled) = (isAtEnd ? Data() : Data(count: Self.pieceSize), 0)
    return piece
  }

  private func deflate(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> (result: Int32, consumed: Int, produced: Int) {
    let available = min(input.count, Self.stepSize)
    stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = UInt32(available)
    stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
    stream.pointee.avail_out = UInt32(output.count)
    let result = CZlib.deflate(stream, hasAllInput ? Z_FINISH : Z_NO_FLUSH)
    return (result, available - Int(stream.pointee.avail_in), output.count - Int(stream.pointee.avail_out))
  }
}
