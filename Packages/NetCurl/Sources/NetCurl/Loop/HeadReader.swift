import NetCore

/// Gathers the lines of a response's head, of the interim responses before it and of the trailers after it, as libcurl
/// brings them. They are parsed elsewhere, by whoever waits.
struct HeadReader {
  private(set) var lines: [UInt8] = []
  private(set) var interimLines: [UInt8] = []
  private(set) var trailers: [UInt8] = []
  private(set) var isComplete = false
  /// The length that the response announces; `nil` when it announces none.
  private(set) var announcedLength: Int64?
  private var size = 0
  private let maximumSize: Int

  init(maximumSize: Int = 0) {
    self.maximumSize = maximumSize
  }

  /// Whether nothing has come yet.
  var isEmpty: Bool { size == 0 }

  /// Takes one line, with its end.
  mutating func read(_ line: UnsafeRawBufferPointer) throws(APIError) {
    size += line.count
    guard size <= maximumSize else {
      throw APIError(
        .tooLarge, reason: "The response's header fields have more than the \(maximumSize) bytes of maximumHeadSize.")
    }
    let content = HeadLine(line)
    if isComplete {
      try content.checkField()
      trailers.append(contentsOf: line)
      return
    }
    if lines.isEmpty {
      try content.checkStatus()
      lines.reserveCapacity(512)
    } else {
      try content.checkField()
    }
    lines.append(contentsOf: line)
    try readLength(in: line)
    if content.isEmpty { try endHead() }
  }

  private mutating func endHead() throws(APIError) {
    if statusCode.elementsEqual("101".utf8) {
      throw .malformed("The server switched to another protocol, which the request did not ask for.")
    }
    guard statusCode.first == UInt8(ascii: "1") else {
      isComplete = true
      return
    }
    interimLines.append(contentsOf: lines)
    lines.removeAll(keepingCapacity: true)
    announcedLength = nil
  }

  /// Looks for `Content-Length` here and now, so that a response with a bad one never leaves a connection in use (RFC 9112,
  /// section 6.3).
  private mutating func readLength(in line: UnsafeRawBufferPointer) throws(APIError) {
    let name = Self.lengthName
    guard line.count > name.count, zip(line, name).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) else { return }
    for part in line.dropFirst(name.count).split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard let length = Self.number(in: part) else { throw .malformed("The response's Content-Length is no number.") }
      guard announcedLength ?? length == length else {
        throw .malformed("The response has Content-Length twice, and they differ.")
      }
      announcedLength = length
    }
  }

  private static let lengthName = Array("content-length:".utf8)

  private static func number(in bytes: Slice<UnsafeRawBufferPointer>) -> Int64? {
    let digits = bytes.drop { $0 <= UInt8(ascii: " ") }.prefix { $0 > UInt8(ascii: " ") }
    guard bytes[digits.endIndex...].allSatisfy({ $0 <= UInt8(ascii: " ") }), !digits.isEmpty else { return nil }
    var number: Int64 = 0
    for digit in digits {
      let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit), !isTooLarge else { return nil }
      let (sum, isSumTooLarge) = tens.addingReportingOverflow(Int64(digit & 15))
      guard !isSumTooLarge else { return nil }
      number = sum
    }
    return number
  }

  /// The status code's bytes: what follows the first space.
  private var statusCode: ArraySlice<UInt8> {
    lines.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix(3)
  }

  /// Whether the server refused an `Expect: 100-continue`.
  var isExpectationFailed: Bool { isComplete && statusCode.elementsEqual("417".utf8) }

  /// What is wrong with a response that libcurl takes for complete; `nil` when nothing is.
  var failureAtEnd: APIError? {
    isComplete ? nil : APIError(.transport(.truncated), reason: "The response ended before its header fields did.")
  }
}
