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

/// Takes the bytes of a form apart (RFC 2046, section 5.1.1), wherever they are divided.
///
/// Holds the last bytes it was fed, and of those before only what may yet become a delimiter or belongs to an unfinished line.
struct MultipartParser {
  enum Event: Equatable {
    case head(MultipartPartHead)
    /// Bytes of the content, never none.
    case content(Data)
    case endOfContent
  }

  private enum State {
    case preamble
    /// Before the end of the empty line behind a head. Where there is no content, the delimiter begins with it.
    case contentStart
    case content
    /// Behind a delimiter: two hyphens make it the last.
    case delimiter
    /// Behind that: blanks up to the end of the line.
    case padding(isLast: Bool)
    case head
    case epilogue
  }

  /// A delimiter begins with the end of a line, which is no part of what stands before it.
  private let delimiter: [UInt8]
  private let limits: MultipartReader.Limits
  private var state = State.preamble
  private var buffer = Data("\r\n".utf8)  // so that the first delimiter need not have a line before it
  private var fields = HTTPFields()
  private var headSize = 0
  private var partSize: Int64 = 0
  private var partCount = 0
  /// How many more bytes may come; below zero when more came.
  private var room: Int64

  init(boundary: String, limits: MultipartReader.Limits) {
    delimiter = Array("\r\n--\(boundary)".utf8)
    self.limits = limits
    room = limits.maximumSize
  }

  /// Gives the next bytes, once ``next()`` has no more to say about those before. Past the limit they are not kept.
  mutating func feed(_ bytes: Data) {
    let accepted = bytes.prefix(Int(clamping: max(room, 0)))
    room -= Int64(bytes.count)
    if buffer.isEmpty {
      buffer = accepted
    } else {
      // A new buffer, since a slice that grows keeps all that was cut from it.
      var joined = Data(capacity: buffer.count + accepted.count)
      joined.append(buffer)
      joined.append(accepted)
      buffer = joined
    }
  }

  /// What comes next; `nil` when more bytes are needed to tell.
  mutating func next() throws -> Event? {
    while true {
      switch try step() {
      case .event(let event): return event
      case .goOn: continue
      case .needsMore:
        guard room >= 0 else {
          throw MultipartError(.tooLarge, "The form has more than \(limits.maximumSize) bytes.")
        }
        return nil
      }
    }
  }

  /// Tells that no more bytes come.
  ///
  /// - Throws: ``MultipartError`` of kind `truncated` unless the last delimiter was seen.
  func finish() throws {
    switch state {
    case .epilogue: return
    case .padding(isLast: true) where buffer.isEmpty: return
    default: throw MultipartError(.truncated, "The form ended before its last delimiter.")
    }
  }

  private enum Step {
    case event(Event)
    case goOn
    case needsMore
  }

  private mutating func step() throws -> Step {
    switch state {
    case .preamble:
      drop(bytesBeforeDelimiter)
      return takeDelimiter() ? .goOn : .needsMore
    case .contentStart:
      return stepBeforeContent()
    case .content:
      return try stepInContent()
    case .delimiter:
      return try stepBehindDelimiter()
    case .padding(let isLast):
      return try stepInPadding(isLast: isLast)
    case .head:
      return try stepInHead()
    case .epilogue:
      drop(buffer.count)
      return .needsMore
    }
  }

  private mutating func stepBeforeContent() -> Step {
    if takeDelimiter() { return .event(.endOfContent) }
    guard bytesBeforeDelimiter > 0 else { return .needsMore }
    drop(2)
    state = .content
    return .goOn
  }

  private mutating func stepInContent() throws -> Step {
    let count = bytesBeforeDelimiter
    guard count == 0 else {
      partSize += Int64(count)
      guard partSize <= limits.maximumPartSize else {
        throw MultipartError(.partTooLarge, "A part has more than \(limits.maximumPartSize) bytes.")
      }
      defer { drop(count) }
      return .event(.content(buffer.prefix(count)))
    }
    return takeDelimiter() ? .event(.endOfContent) : .needsMore
  }

  private mutating func stepBehindDelimiter() throws -> Step {
    guard buffer.first == UInt8(ascii: "-") else {
      if buffer.isEmpty { return .needsMore }
      state = .padding(isLast: false)
      return .goOn
    }
    guard buffer.count > 1 else { return .needsMore }
    guard buffer.dropFirst().first == UInt8(ascii: "-") else { throw Self.badDelimiter }
    drop(2)
    state = .padding(isLast: true)
    return .goOn
  }

  private mutating func stepInPadding(isLast: Bool) throws -> Step {
    drop(buffer.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count)
    guard let first = buffer.first else { return .needsMore }
    guard first == UInt8(ascii: "\r") else { throw Self.badDelimiter }
    guard buffer.count > 1 else { return .needsMore }
    guard buffer.dropFirst().first == UInt8(ascii: "\n") else { throw Self.badDelimiter }
    drop(2)
    if isLast { state = .epilogue } else { try beginPart() }
    return .goOn
  }

  private mutating func beginPart() throws {
    partCount += 1
    guard partCount <= limits.maximumPartCount else {
      throw MultipartError(.tooManyParts, "The form has more than \(limits.maximumPartCount) parts.")
    }
    (state, fields, headSize, partSize) = (.head, [:], 0, 0)
  }

  /// Takes one line of a head.
  private mutating func stepInHead() throws -> Step {
    let length = buffer.withUnsafeBytes { Self.offset(ofCRIn: $0, from: 0) }
    // Both ends of the line count. Where there is none yet, one more byte comes at least.
    guard headSize + (length.map { $0 + 2 } ?? buffer.count + 1) <= limits.maximumHeadSize else {
      throw MultipartError(.headTooLarge, "The fields of a part have more than \(limits.maximumHeadSize) bytes.")
    }
    guard let length, buffer.count > length + 1 else { return .needsMore }
    let line = buffer.prefix(length)
    guard buffer.dropFirst(length + 1).first == UInt8(ascii: "\n") else { throw Self.badField }
    if line.isEmpty {
      state = .contentStart
      return .event(.head(try MultipartPartHead(fields)))
    }
    drop(length + 2)
    headSize += length + 2
    fields.append(try Self.field(in: line))
    return .goOn
  }

  private static func field(in line: Data) throws -> HTTPField {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
      let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self)),
      let field = HTTPField(name: name, bytes: line[(colon + 1)...])
    else { throw badField }
    return field
  }

  private static var badDelimiter: MultipartError {
    .malformed("Something other than the end of the line stands behind a delimiter.")
  }

  private static var badField: MultipartError {
    .malformed("A part has a line that is no field.")
  }

  // MARK: The buffer

  private mutating func drop(_ count: Int) {
    buffer = count == buffer.count ? Data() : buffer.dropFirst(count)
  }

  /// Takes the delimiter with which the buffer begins; whether it does.
  private mutating func takeDelimiter() -> Bool {
    guard buffer.count >= delimiter.count, buffer.starts(with: delimiter) else { return false }
    drop(delimiter.count)
    state = .delimiter
    return true
  }

  /// How many bytes stand before the next delimiter, or before what may yet become one.
  private var bytesBeforeDelimiter: Int {
    buffer.withUnsafeBytes { bytes in
      var start = 0
      while let place = Self.offset(ofCRIn: bytes, from: start) {
        // A delimiter has its CR in front and nowhere else, so no byte is looked at twice.
        if memcmp(bytes.baseAddress! + place, delimiter, min(delimiter.count, bytes.count - place)) == 0 {
          return place
        }
        start = place + 1
      }
      return bytes.count
    }
  }

  private static func offset(ofCRIn bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < bytes.count, let base = bytes.baseAddress else { return nil }
    return memchr(base + start, CInt(UInt8(ascii: "\r")), bytes.count - start).map { UnsafeRawPointer($0) - base }
  }
}
