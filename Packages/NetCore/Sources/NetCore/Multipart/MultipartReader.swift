#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Reads `multipart/form-data` (RFC 7578) as it arrives, for servers and tests: one part after the other, each with a body
/// that is a stream.
///
///     let reader = try MultipartReader(request.body, contentType: request.fields[.contentType])
///     for try await part in reader {
///       if part.filename == nil { fields[part.name] = try await part.text() } else { try await store(part.body) }
///     }
///
/// A part's body is read before the next part is asked for; what is left of it is skipped. At most one chunk of the source is
/// held, and every size has a limit (``Limits``). A preamble, an epilogue and blanks behind a delimiter are accepted
/// (RFC 2046, section 5.1.1); anything else that breaks the rules is an error, because two parsers could read it in two ways:
/// line ends without CR, delimiters with something behind them, folded fields, parts without a name or with a transfer
/// encoding.
///
/// A reader belongs to one task, as do its parts, and is read once.
public struct MultipartReader {
  private let reading: MultipartReading

  /// A reader of what `chunks` brings.
  ///
  /// - Parameters:
  ///   - chunks: The content, divided in any way.
  ///   - contentType: The value of its `Content-Type`.
  ///   - limits: Default: those of ``Limits/init()``.
  /// - Throws: ``MultipartError`` of kind `notMultipart`.
  public init<Chunks: AsyncSequence>(
    _ chunks: Chunks, contentType: String?, limits: Limits = Limits()
  ) throws(MultipartError) where Chunks.Element == Data {
    let parser = MultipartParser(boundary: try Self.boundary(in: contentType), limits: limits)
    var iterator = chunks.makeAsyncIterator()
    reading = MultipartReading(parser) { try await iterator.next(isolation: #isolation) }
  }

  /// All parts that are left, with their contents in memory: at most ``Limits/maximumSize`` bytes.
  ///
  /// - Throws: ``MultipartError``, and what the source throws.
  public func collect() async throws -> [CollectedPart] {
    var parts: [CollectedPart] = []
    for try await part in self { parts.append(CollectedPart(part, bytes: try await part.collect())) }
    return parts
  }

  /// The boundary that a content type names: 1 to 70 characters of RFC 2046, section 5.1.1.
  private static func boundary(in contentType: String?) throws(MultipartError) -> String {
    let type = ParameterizedValue(contentType ?? "")
    guard type.value == "multipart/form-data" else {
      throw MultipartError(.notMultipart, "The content type is not multipart/form-data.")
    }
    guard type.isWellFormed, let boundary = type.parameters["boundary"], (1...70).contains(boundary.utf8.count),
      boundary.utf8.allSatisfy(isBoundaryCharacter), boundary.last != " "
    else {
      throw MultipartError(.notMultipart, "The content type names no boundary of 1 to 70 permitted characters.")
    }
    return boundary
  }

  private static func isBoundaryCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default:
      "'()+_,-./:=? ".utf8.contains(byte)
    }
  }
}

extension MultipartReader: AsyncSequence {
  /// Brings the parts.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let reading: MultipartReading

    /// The next part; `nil` behind the last.
    ///
    /// - Throws: ``MultipartError``, and what the source throws; again when asked again.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Part? {
      guard let fields = try await reading.nextPart() else { return nil }
      return Part(fields, number: reading.number, reading: reading)
    }
  }

  /// Goes on with the part that follows the last one given.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(reading: reading)
  }
}

@available(*, unavailable)
extension MultipartReader: Sendable {}
