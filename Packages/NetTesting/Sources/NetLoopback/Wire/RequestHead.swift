import NetCore

/// The head of a request as it came: request line and header fields, with what they say about framing.
struct RequestHead: Sendable {
  /// How the content is delimited (RFC 9112, section 6).
  enum Framing: Sendable, Equatable {
    case none
    case length(Int64)
    case chunked
  }

  var method: HTTPRequest.Method
  var target: RequestTarget
  var version: LoopbackRequest.Version
  var fields: HTTPFields = [:]
  var framing = Framing.none
  var expectsContinue = false
  var wantsKeepAlive = false

  /// A head with the given request line (RFC 9112, section 3) and no fields.
  init(requestLine line: UnsafeRawBufferPointer) throws(LoopbackError) {
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .badRequest("The request line is not \"method target version\".") }
    guard let method = HTTPRequest.Method(String(decoding: parts[0], as: UTF8.self)) else {
      throw .badRequest("The method is not a token.")
    }
    self.method = method
    version = try LoopbackRequest.Version(parts[2])
    guard method != .connect else { throw LoopbackError(.notImplemented, "This server opens no tunnels.") }
    target = try RequestTarget(parts[1], method: method)
  }

  /// Reads framing, host and connection from the fields, once they are complete.
  mutating func finish() throws(LoopbackError) {
    try checkHost()
    framing = try readFraming()
    let options = fields[values: .connection].flatMap { $0.split(separator: ",") }
      .map { $0.trimmingBlanks.lowercased() }
    wantsKeepAlive = !options.contains("close") && (version == .http1_1 || options.contains("keep-alive"))
    if version == .http1_1, let expectation = fields[.expect] {
      guard expectation.lowercased() == "100-continue" else {
        throw LoopbackError(.expectationFailed, "The only expectation known here is 100-continue.")
      }
      expectsContinue = framing != .none && framing != .length(0)
    }
  }

  /// RFC 9112, section 3.2.
  private func checkHost() throws(LoopbackError) {
    let hosts = fields[values: .host]
    guard hosts.count <= 1 else { throw .badRequest("The request has more than one Host.") }
    guard let host = hosts.first else {
      guard version == .http1_0 else { throw .badRequest("The request has no Host.") }
      return
    }
    guard RequestTarget.isAuthority(host.utf8) else { throw .badRequest("Host is not a host with an optional port.") }
  }

  /// RFC 9112, section 6.3. What two readers could understand in two ways is refused.
  private func readFraming() throws(LoopbackError) -> Framing {
    let codings = fields[values: .transferEncoding]
    let lengths = fields[values: .contentLength]
    guard !codings.isEmpty else { return try Self.framing(lengths: lengths) }
    guard lengths.isEmpty else { throw .badRequest("The request has both Transfer-Encoding and Content-Length.") }
    guard version == .http1_1 else { throw .badRequest("HTTP/1.0 has no Transfer-Encoding.") }
    let names = codings.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
      .map { $0.trimmingBlanks.lowercased() }
    if names == ["chunked"] { return .chunked }
    guard names.last == "chunked", names.filter({ $0 == "chunked" }).count == 1 else {
      if names.contains("chunked") { throw .badRequest("The last transfer coding, and only that, must be chunked.") }
      throw LoopbackError(.notImplemented, "The only transfer coding known here is chunked.")
    }
    throw LoopbackError(.notImplemented, "The only transfer coding known here is chunked.")
  }

  private static func framing(lengths: [String]) throws(LoopbackError) -> Framing {
    guard let text = lengths.first else { return .none }
    guard lengths.count == 1 else { throw .badRequest("The request has more than one Content-Length.") }
    guard !text.isEmpty, text.utf8.allSatisfy(isDigit), let length = Int64(text) else {
      throw .badRequest("Content-Length is not a number of bytes.")
    }
    return .length(length)
  }
}

extension HTTPField {
  /// The field of a line without its line end.
  init(line: UnsafeRawBufferPointer) throws(LoopbackError) {
    guard let first = line.first, first != UInt8(ascii: " "), first != UInt8(ascii: "\t") else {
      throw .badRequest("A field is folded over lines.")
    }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .badRequest("A field line has no colon.") }
    guard let name = Name(String(decoding: UnsafeRawBufferPointer(rebasing: line[..<colon]), as: UTF8.self)) else {
      throw .badRequest("A field name is not a token that the colon follows at once.")
    }
    let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...])
    let text = String(validating: value, as: UTF8.self)
    guard let field = text.map({ HTTPField(name: name, value: $0) }) ?? HTTPField(name: name, bytes: Array(value))
    else {
      throw .badRequest("The value of the field \(name) has a control character.")
    }
    self = field
  }
}

extension LoopbackRequest.Version {
  /// The version of a request line (RFC 9112, section 2.3); a higher minor one is spoken to as 1.1 is.
  fileprivate init(_ text: Slice<UnsafeRawBufferPointer>) throws(LoopbackError) {
    let bytes = Array(text)
    guard bytes.count == 8, bytes.starts(with: "HTTP/".utf8), bytes[6] == UInt8(ascii: "."), isDigit(bytes[5]),
      isDigit(bytes[7])
    else { throw .badRequest("The request line does not end with an HTTP version.") }
    guard bytes[5] == UInt8(ascii: "1") else {
      throw LoopbackError(.httpVersionNotSupported, "This server speaks HTTP/1.0 and HTTP/1.1.")
    }
    self = bytes[7] == UInt8(ascii: "0") ? .http1_0 : .http1_1
  }
}

func isDigit(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

extension StringProtocol {
  /// Without spaces and tabs at its ends.
  var trimmingBlanks: SubSequence {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    let head = drop(while: isBlank)
    return head[..<(head.lastIndex { !isBlank($0) }.map { head.index(after: $0) } ?? head.startIndex)]
  }
}
