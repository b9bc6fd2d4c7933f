import NetCore

/// Why a handler's response cannot be sent as it is.
struct UnsendableResponse: Error, CustomStringConvertible {
  let description: String
}

/// The head of a response, and how its content is delimited (RFC 9112, section 6).
struct ResponseHead {
  enum Framing: Equatable {
    /// No content follows, whatever the fields say.
    case none
    case length(Int64)
    case chunked
    /// The content ends with the connection, for HTTP/1.0.
    case untilClose
  }

  let framing: Framing
  /// Whether the connection can take another request after this response.
  let keepsConnection: Bool
  private let response: LoopbackResponse
  private let method: HTTPRequest.Method
  private let version: LoopbackRequest.Version
  private let date: String?

  /// - Throws: ``UnsendableResponse``.
  init(
    _ response: LoopbackResponse, method: HTTPRequest.Method = .get, version: LoopbackRequest.Version = .http1_1,
    keepsConnection: Bool, date: String?
  ) throws(UnsendableResponse) {
    self.response = response
    self.method = method
    self.version = version
    self.date = response.fields.contains(.date) ? nil : date
    framing = Self.framing(of: response, method: method, version: version)
    let asksToClose = response.fields[.connection]?.lowercased() == "close"
    self.keepsConnection = keepsConnection && !asksToClose && framing != .untilClose
    try validate()
  }

  private static func framing(
    of response: LoopbackResponse, method: HTTPRequest.Method, version: LoopbackRequest.Version
  ) -> Framing {
    if method == .head || response.status.hasNoContent { return .none }
    let isModern = version == .http1_1
    if let length = response.body.length, response.trailers.isEmpty || !isModern { return .length(length) }
    return isModern ? .chunked : .untilClose
  }

  /// What every response must satisfy, since framing is the server's.
  private func validate() throws(UnsendableResponse) {
    if response.status.kind == .informational {
      throw UnsendableResponse(description: "\(response.status) is an interim status: send it with a raw response.")
    }
    if response.status.hasNoContent, response.body.length != 0 {
      throw UnsendableResponse(description: "A response with status \(response.status) has no content.")
    }
    if let name = (response.fields.rejected + response.trailers.rejected).first {
      throw UnsendableResponse(description: "The value of the field \(name) has a control character.")
    }
    for field in response.fields { try validate(field) }
    for field in response.trailers where Self.framingNames.contains(field.name.canonicalName) {
      throw UnsendableResponse(description: "\(field.name) cannot be a trailer field.")
    }
  }

  private func validate(_ field: HTTPField) throws(UnsendableResponse) {
    switch field.name.canonicalName {
    case "content-length":
      // The answer to a HEAD, and a 304, may state the length of the content that they do not have.
      let mayDiffer = framing == .none && response.body.isEmpty && response.status != .noContent
      guard mayDiffer || response.body.length.map(String.init) == field.value else {
        throw UnsendableResponse(description: "Content-Length is not the content's length: leave it to the server.")
      }
    case "connection" where field.value.lowercased() == "close":
      break
    case let name where Self.framingNames.contains(name):
      throw UnsendableResponse(
        description: "\(field.name) is set by the server: leave it out, or answer with raw bytes.")
    default:
      break
    }
  }

  private static let framingNames: Set<String> = [
    "content-length", "transfer-encoding", "connection", "keep-alive", "trailer", "upgrade",
  ]

  /// The head's bytes, up to and with its empty line.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    bytes.append(contentsOf: "HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n".utf8)
    for field in response.fields where !Self.framingNames.contains(field.name.canonicalName) { bytes.append(field) }
    if let date { bytes.append("Date", date) }
    if let length = statedLength { bytes.append("Content-Length", length) }
    if framing == .chunked { bytes.append("Transfer-Encoding", "chunked") }
    if framing == .chunked, !response.trailers.isEmpty {
      bytes.append("Trailer", response.trailers.map(\.name.rawName).joined(separator: ", "))
    }
    if !keepsConnection {
      bytes.append("Connection", "close")
    } else if version == .http1_0 {
      bytes.append("Connection", "keep-alive")
    }
    bytes.append(contentsOf: "\r\n".utf8)
    return bytes
  }

  private var statedLength: String? {
    switch framing {
    case .length(let length): return String(length)
    case .chunked, .untilClose: return nil
    case .none where response.status == .noContent: return nil
    case .none:
      if let stated = response.fields[.contentLength] { return stated }
      return method == .head && !response.status.hasNoContent ? response.body.length.map(String.init) : nil
    }
  }
}

extension HTTPResponse.Status {
  /// Whether a response with this status never has content (RFC 9110, section 6.4.1).
  fileprivate var hasNoContent: Bool {
    kind == .informational || self == .noContent || self == .notModified
  }
}

extension [UInt8] {
  mutating func append(_ field: HTTPField) {
    append(contentsOf: field.name.rawName.utf8)
    append(contentsOf: ": ".utf8)
    append(contentsOf: field.bytes)
    append(contentsOf: "\r\n".utf8)
  }

  fileprivate mutating func append(_ name: String, _ value: String) {
    append(contentsOf: name.utf8)
    append(contentsOf: ": ".utf8)
    append(contentsOf: value.utf8)
    append(contentsOf: "\r\n".utf8)
  }
}
