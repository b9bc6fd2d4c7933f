import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads HTTP/1.1 requests out of bytes, whatever pieces they come in (RFC 9112).
///
/// A pure value: bytes in, events out. It is strict where leniency lets two readers disagree about where a request ends
/// (bare CR or LF, folded fields, two lengths), and bounds everything it keeps.
struct RequestParser: Sendable {
  /// What was read.
  enum Event: Sendable {
    case head(RequestHead)
    case body(Data)
    case end(trailers: HTTPFields)
  }

  private enum State: Sendable {
    /// Before the first byte of a request line; an empty line may come first, once.
    case start(mayBeBlank: Bool)
    case fields
    case fixed(Int64)
    case chunkSize
    case chunk(Int64)
    case chunkEnd
    case trailers
  }

  /// The longest line of a chunk's size and extensions, in bytes.
  private static let chunkLineLimit = 1_024

  private let limits: LoopbackServer.Configuration
  private var buffer: [UInt8] = []
  private var offset = 0
  /// Up to where a line end was looked for.
  private var scanned = 0
  private var state = State.start(mayBeBlank: true)
  private(set) var failure: LoopbackError?
  private var head: RequestHead?
  private var trailers: HTTPFields = [:]
  private var fieldsSize = 0
  private var bodySize: Int64 = 0

  init(limits: LoopbackServer.Configuration) {
    self.limits = limits
  }

  /// Whether nothing of a further request has come.
  var isBetweenRequests: Bool {
    if case .start = state { offset == buffer.count } else { false }
  }

  /// Adds received bytes.
  mutating func append(_ bytes: [UInt8]) {
    if offset == buffer.count {
      (buffer, offset, scanned) = (bytes, 0, 0)
    } else {
      buffer.removeFirst(offset)
      scanned -= offset
      offset = 0
      buffer.append(contentsOf: bytes)
    }
  }

  /// The next event; `nil` when more bytes are needed. After an error it always throws that.
  mutating func next() throws(LoopbackError) -> Event? {
    if let failure { throw failure }
    do {
      return try readNext()
    } catch {
      failure = error
      throw error
    }
  }

  private mutating func readNext() throws(LoopbackError) -> Event? {
    while true {
      switch state {
      case .start(let mayBeBlank):
        guard let line = try nextLine(limit: limits.maximumRequestLineLength, orElse: .uriTooLong) else { return nil }
        try readRequestLine(line, mayBeBlank: mayBeBlank)
      case .fields:
        guard let line = try nextFieldLine(after: head?.fields.count ?? 0) else { return nil }
        if line.isEmpty { return .head(try beginBody()) }
        let field = try withBytes(line, HTTPField.init(line:))
        head?.fields.append(field)
      case .fixed(let rest):
        guard rest > 0 else { return end() }
        guard let bytes = takeBytes(upTo: rest) else { return nil }
        state = .fixed(rest - Int64(bytes.count))
        return .body(bytes)
      case .chunkSize:
        guard let line = try nextLine(limit: Self.chunkLineLimit, orElse: .badRequest) else { return nil }
        try beginChunk(try withBytes(line, Self.chunkSize))
      case .chunk(let rest):
        guard let bytes = takeBytes(upTo: rest) else { return nil }
        state = rest == Int64(bytes.count) ? .chunkEnd : .chunk(rest - Int64(bytes.count))
        return .body(bytes)
      case .chunkEnd:
        guard try nextLine(limit: 0, orElse: .badRequest) != nil else { return nil }
        state = .chunkSize
      case .trailers:
        guard let line = try nextFieldLine(after: trailers.count) else { return nil }
        if line.isEmpty { return end() }
        let field = try withBytes(line, HTTPField.init(line:))
        trailers.append(field)
      }
    }
  }

  private mutating func readRequestLine(_ line: Range<Int>, mayBeBlank: Bool) throws(LoopbackError) {
    if line.isEmpty, mayBeBlank {
      state = .start(mayBeBlank: false)
      return
    }
    head = try withBytes(line, RequestHead.init(requestLine:))
    fieldsSize = 0
    trailers = [:]
    state = .fields
  }

  private mutating func beginBody() throws(LoopbackError) -> RequestHead {
    guard var head else { preconditionFailure("fields are read after a request line") }
    self.head = nil
    try head.finish()
    bodySize = 0
    switch head.framing {
    case .none: state = .fixed(0)
    case .length(let length):
      try count(body: length)
      state = .fixed(length)
    case .chunked: state = .chunkSize
    }
    return head
  }

  private mutating func beginChunk(_ size: Int64) throws(LoopbackError) {
    try count(body: size)
    fieldsSize = 0
    state = size == 0 ? .trailers : .chunk(size)
  }

  private mutating func end() -> Event {
    state = .start(mayBeBlank: true)
    return .end(trailers: trailers)
  }

  private mutating func count(body bytes: Int64) throws(LoopbackError) {
    guard bytes <= Int64(limits.maximumBodySize) - bodySize else {
      throw LoopbackError(.contentTooLarge, "The content has more than \(limits.maximumBodySize) bytes.")
    }
    bodySize += bytes
  }

  /// RFC 9112, section 7.1. Extensions are ignored.
  private static func chunkSize(_ line: UnsafeRawBufferPointer) throws(LoopbackError) -> Int64 {
    let digits = line.prefix(while: isHexDigit)
    guard (1...15).contains(digits.count), let size = Int64(String(decoding: digits, as: UTF8.self), radix: 16) else {
      throw .badRequest("A chunk's size is not a hexadecimal number of at most 15 digits.")
    }
    let rest = line[digits.endIndex...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    guard rest.isEmpty || rest.first == UInt8(ascii: ";") && rest.allSatisfy({ $0 >= 0x20 || $0 == 0x09 }) else {
      throw .badRequest("A chunk's size is followed by something that is no extension.")
    }
    return size
  }
}

// MARK: - Bytes and lines

extension RequestParser {
  private func withBytes<Result>(
    _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(LoopbackError) -> Result
  ) throws(LoopbackError) -> Result {
    try buffer.withUnsafeBufferPointer { bytes throws(LoopbackError) in
      try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range])))
    }
  }

  private mutating func takeBytes(upTo limit: Int64) -> Data? {
    let count = Int(min(limit, Int64(buffer.count - offset)))
    guard count > 0 else { return nil }
    defer { skip(to: offset + count) }
    return Data(buffer[offset..<(offset + count)])
  }

  private mutating func nextFieldLine(after count: Int) throws(LoopbackError) -> Range<Int>? {
    let limit = limits.maximumFieldsSize - fieldsSize
    guard let line = try nextLine(limit: limit, orElse: .requestHeaderFieldsTooLarge) else { return nil }
    guard line.isEmpty || count < limits.maximumFieldCount else {
      throw LoopbackError(.requestHeaderFieldsTooLarge, "There are more than \(limits.maximumFieldCount) fields.")
    }
    fieldsSize += line.count + 2
    return line
  }

  /// The next line without its CR LF, of at most `limit` bytes; `nil` when its end has not come.
  private mutating func nextLine(
    limit: Int, orElse status: HTTPResponse.Status
  ) throws(LoopbackError) -> Range<Int>? {
    let end = findLineFeed()
    guard (end.map { $0 - 1 } ?? buffer.count - 1) - offset <= limit else {
      throw LoopbackError(status, "A line, or the fields together, are longer than this server allows.")
    }
    guard let end else { return nil }
    guard end > offset, buffer[end - 1] == UInt8(ascii: "\r") else {
      throw .badRequest("A line ends with a line feed alone.")
    }
    let line = offset..<(end - 1)
    guard !buffer[line].contains(UInt8(ascii: "\r")) else { throw .badRequest("A line has a carriage return in it.") }
    skip(to: end + 1)
    return line
  }

  private mutating func findLineFeed() -> Int? {
    let start = max(scanned, offset)
    scanned = buffer.count
    guard start < buffer.count else { return nil }
    return buffer.withUnsafeBytes { bytes in
      memchr(bytes.baseAddress! + start, 0x0A, bytes.count - start).map {
        $0 - UnsafeMutableRawPointer(mutating: bytes.baseAddress!)
      }
    }
  }

  private mutating func skip(to index: Int) {
    offset = index
    scanned = index
  }
}
