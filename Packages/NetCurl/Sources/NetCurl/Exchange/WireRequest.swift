@_spi(NetKits) import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request made ready, on its caller's side, for the thread that sends it.
struct WireRequest: Sendable {
  enum Content: Sendable {
    case none
    /// Bytes handed to libcurl at once.
    case bytes(Data)
    /// Bytes in memory that libcurl asks for piece by piece.
    case memory(Data)
    /// Bytes from elsewhere; the length is `nil` when it is not known before the end.
    case feed(BodyFeed, length: Int64?)
  }

  let url: String
  /// Scheme, host and port.
  let origin: String
  let method: HTTPRequest.Method
  let lines: HeaderLines
  let content: Content
  /// Whether the host may turn out to take many requests on one connection.
  let mayShareConnection: Bool
  /// Whether sending it a second time is safe when a reused connection turns out to be dead.
  let mayBeRepeated: Bool
  /// Whether the content waits for the server's `100 Continue`.
  let expectsContinue: Bool
  /// How compressed content, which the transport then asks for, is decoded; `nil` for not at all.
  let decoding: CurlTransport.ContentDecoding?
  /// The most bytes of the response's body to hold before its head is handed over; `nil` hands the head over at once.
  let collectionLimit: Int?

  /// - Throws: `APIError` of kind `invalidURL`, `invalidRequest` or `unsupported` for what cannot be sent.
  init(_ request: HTTPRequest, delivery: RequestContext.Delivery, configuration: CurlTransport.Configuration) throws {
    try request.validate()
    if request.method == .head, !request.body.isEmpty {
      throw APIError(.unsupported, reason: "A HEAD request with content cannot be sent: remove the body.")
    }
    url = request.url.absoluteString
    origin = Self.origin(of: url)
    mayShareConnection = configuration.mayShareConnection(isSecure: url.hasPrefix("https:") || url.hasPrefix("HTTPS:"))
    method = request.method
    mayBeRepeated = request.method.isIdempotent || request.fields[.idempotencyKey]?.isEmpty == false
    expectsContinue = request.fields.contains(.expect)
    let wantsRawContent = request.fields.contains(.acceptEncoding) || request.fields.contains(.range)
    decoding = wantsRawContent ? nil : configuration.decoding
    content = Self.content(of: request, bufferSize: configuration.bufferSize)
    lines = HeaderLines(request.fields, advertisesCodings: decoding?.decoder == .strict)
    collectionLimit = if case .collected(let limit) = delivery { limit } else { nil }
  }

  /// The part of a URL before its path. Two spellings of one host count as two.
  private static func origin(of url: String) -> String {
    var slashes = 0
    let end = url.utf8.firstIndex { byte in
      if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") { slashes += 1 }
      return slashes == 3
    }
    return end.map { String(url[..<$0]) } ?? url
  }

  private static func content(of request: HTTPRequest, bufferSize: Int) -> Content {
    switch request.body.content {
    case .bytes(let bytes) where bytes.isEmpty: request.method.anticipatesContent ? .bytes(bytes) : .none
    case .bytes(let bytes) where bytes.count <= bufferSize: .bytes(bytes)
    case .bytes(let bytes) where !request.body.isWatched: .memory(bytes)
    case .bytes, .file, .stream: .feed(BodyFeed(request.body), length: request.body.length)
    }
  }
}

extension HTTPRequest.Method {
  /// Whether a request without content says so with `Content-Length: 0` (RFC 9110, section 8.6).
  fileprivate var anticipatesContent: Bool {
    self == .post || self == .put || self == .patch
  }
}

/// Header fields in the form libcurl reads them: lines that each end with NUL.
struct HeaderLines: Sendable {
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0

  init(_ fields: HTTPFields, advertisesCodings: Bool) {
    bytes.reserveCapacity(64 + 40 * fields.count)
    // libcurl adds these by itself; a line without a value keeps it from doing so.
    for name in [HTTPField.Name.accept, .contentType, .expect] where !fields.contains(name) {
      append("\(name.rawName):")
    }
    for field in fields where field.name != .contentLength && field.name != .host {
      append(field)
    }
    if advertisesCodings { append("Accept-Encoding: gzip, deflate") }
  }

  private mutating func append(_ field: HTTPField) {
    bytes.append(contentsOf: field.name.rawName.utf8)
    // For libcurl, "Name:" means without the field, and "Name;" with an empty one.
    bytes.append(contentsOf: (field.isEmpty ? ";" : ": ").utf8)
    field.appendBytes(to: &bytes)
    endLine()
  }

  private mutating func append(_ line: String) {
    bytes.append(contentsOf: line.utf8)
    endLine()
  }

  private mutating func endLine() {
    bytes.append(0)
    count += 1
  }
}
