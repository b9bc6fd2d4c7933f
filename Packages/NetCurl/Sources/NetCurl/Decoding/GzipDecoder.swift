import CZlib
import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decodes a gzip (RFC 1952) or deflate (RFC 1950, and the bare RFC 1951 some servers send) stream piece by piece.
///
/// Unlike most it insists on the end: a stream that stops early, or goes on after its end, is an error.
final class GzipDecoder {
  enum Format: Sendable {
    case gzip, deflate

    /// The format that a `Content-Encoding` names; `nil` for another.
    init?(contentCoding: String) {
      switch contentCoding.lowercased() {
      case "gzip", "x-gzip": self = .gzip
      case "deflate": self = .deflate
      default: return nil
      }
    }
  }

  private let format: Format
  private let limits: CurlTransport.ContentDecoding
  /// Allocated, because zlib keeps its address.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private var isOpen = false
  private var isAtEnd = false
  private var input = Data()
  private var encodedSize: Int64 = 0
  private var decodedSize: Int64 = 0

  /// The bytes of one piece of decoded content.
  private static let pieceSize = 64 << 10

  init(_ format: Format, limits: CurlTransport.ContentDecoding) {
    self.format = format
    self.limits = limits
    stream.initialize(to: z_stream())
  }

  deinit {
    if isOpen { inflateEnd(stream) }
    stream.deallocate()
  }

  /// Whether everything that was fed is decoded.
  var needsInput: Bool { input.isEmpty }

  /// Gives the next encoded bytes, once ``needsInput``.
  func feed(_ bytes: Data) {
    input = bytes
    encodedSize += Int64(bytes.count)
  }

  /// The next decoded bytes; empty when more input is needed.
  ///
  /// - Throws: `APIError` of kind `transport(.malformed)` or `tooLarge`.
  func next() throws -> Data {
    while !input.isEmpty {
      if !isOpen { try open() }
      if isAtEnd { try beginNextMember() }
      let piece = try inflatePiece()
      if !piece.isEmpty { return piece }
    }
    return Data()
  }

  /// - Throws: `APIError` of kind `transport(.truncated)` unless the stream's end was seen.
  func finish() throws {
    guard isAtEnd || encodedSize == 0 else {
      throw APIError(.transport(.truncated), reason: "The compressed content ended before its end.")
    }
  }

  private func open() throws {
    // 15 is the largest window; 16 more asks for gzip's wrapper, a negative one for none.
    let windowBits: Int32 =
      switch format {
      case .gzip: 15 + 16
      case .deflate: hasZlibHeader ? 15 : -15
      }
    guard inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw APIError(.transport(.other), reason: "zlib could not begin.")
    }
    isOpen = true
  }

  /// RFC 1950, section 2.2. A first byte alone decides when no second one has come yet.
  private var hasZlibHeader: Bool {
    let first = input[input.startIndex]
    guard first & 0x0F == 8, first >> 4 <= 7 else { return false }
    guard input.count > 1 else { return true }
    return (UInt16(first) << 8 | UInt16(input[input.startIndex + 1])) % 31 == 0
  }

  /// gzip may be several streams one after the other (RFC 1952, section 2.2).
  private func beginNextMember() throws {
    guard format == .gzip, inflateReset(stream) == Z_OK else {
      throw APIError.malformed("The compressed content goes on after its end.")
    }
    isAtEnd = false
  }

  private func inflatePiece() throws -> Data {
    var piece = Data(count: Self.pieceSize)
    let (result, consumed, produced) = piece.withUnsafeMutableBytes { output in
      input.withUnsafeBytes { inflate($0, into: output) }
    }
    input = input.dropFirst(consumed)
    decodedSize += Int64(produced)
    switch result {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: isAtEnd = true
    default: throw APIError.malformed("The compressed content is not what its Content-Encoding says.")
    }
    try limits.check(decoded: decodedSize, encoded: encodedSize)
    return piece.prefix(produced)
  }

  private func inflate(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> (result: Int32, consumed: Int, produced: Int) {
    let available = min(input.count, Int(Int32.max))
    stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = UInt32(available)
    stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
    stream.pointee.avail_out = UInt32(output.count)
    let result = CZlib.inflate(stream, Z_NO_FLUSH)
    return (result, available - Int(stream.pointee.avail_in), output.count - Int(stream.pointee.avail_out))
  }
}
