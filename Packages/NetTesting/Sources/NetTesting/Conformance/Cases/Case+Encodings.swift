import Foundation
import NetCore
import NetLoopback

extension TransportConformance.Case {
  static let encodings = [gzip, deflate, brotli, identity, truncatedGzip, malformedGzip]

  /// Content in a coding that the transport advertises is decoded, and the fields no longer speak of it.
  public static let gzip = decoding("gzip", Encoded.gzip)

  /// In the zlib format (RFC 9110, section 8.4.1.2).
  public static let deflate = decoding("deflate", Encoded.deflate)

  /// Only where the transport advertises `br`.
  public static let brotli = decoding("br", Encoded.brotli)

  private static func decoding(_ coding: String, _ bytes: Data?) -> Self {
    Self("decodes \(coding) where it advertises it, and only there") { trial in
      let wire = try await trial.serve { .encoded(bytes ?? Data(), coding, to: $0, field: "X-Encoded") }
      for _ in 0..<2 {
        let response = try await wire.send()
        guard response.fields["X-Encoded"] == coding else {
          throw Skip(reason: "The transport does not advertise \(coding).")
        }
        try expect("the body", response.text, is: Encoded.text)
        try expect("Content-Encoding", response.fields[.contentEncoding], is: nil)
        try expect("Content-Length", response.fields[.contentLength], is: nil)
      }
    }
  }

  /// Content that is not encoded comes as it is, whatever is advertised.
  public static let identity = Self("brings content without an encoding as it is") { trial in
    let wire = try await trial.serve { _ in .bytes(Encoded.gzip ?? Data(), contentType: "application/gzip") }
    let response = try await wire.send()
    try expect("the body", response.body.bufferedBytes, is: Encoded.gzip)
    try expect("Content-Length", response.fields[.contentLength], is: Encoded.gzip.map { "\($0.count)" })
  }

  /// Encoded content that ends before its own end is cut short, also when the message is whole.
  public static let truncatedGzip = Self("gzip that ends before its end is cut short") { trial in
    for count in [5, 40, (Encoded.gzip?.count ?? 0) - 3] {
      let wire = try await trial.serve { .encoded(Encoded.gzip?.prefix(count) ?? Data(), "gzip", to: $0) }
      guard try await wire.advertises("gzip") else { throw Skip(reason: "The transport does not advertise gzip.") }
      try await expectFailure("gzip after \(count) bytes", [.transport(.truncated)], mayHaveReachedServer: true) {
        try await wire.send()
      }
    }
  }

  /// Content that is not what its `Content-Encoding` says fails.
  public static let malformedGzip = Self("content that is not the gzip it says fails") { trial in
    let wire = try await trial.serve { .encoded(Data("this is not gzip at all".utf8), "gzip", to: $0) }
    guard try await wire.advertises("gzip") else { throw Skip(reason: "The transport does not advertise gzip.") }
    try await expectFailure("text as gzip", [.transport(.malformed)], mayHaveReachedServer: true) {
      try await wire.send()
    }
  }
}

extension Wire {
  /// Whether the transport asks for content in `coding`: the server says so to a HEAD.
  fileprivate func advertises(_ coding: String) async throws -> Bool {
    try await send(.head).fields["X-Advertised"]?.contains(coding) == true
  }
}

extension LoopbackResponse {
  /// `bytes` with their coding for a client that accepts it, else the plain text.
  fileprivate static func encoded(
    _ bytes: Data, _ coding: String, to request: LoopbackRequest, field: HTTPField.Name = "X-Coding"
  ) -> Self {
    let accepted = request.fields[.acceptEncoding] ?? ""
    let isAccepted = accepted.split { $0 == "," || $0 == " " || $0 == ";" }.contains { $0 == coding }
    var response = isAccepted && request.method != .head ? LoopbackResponse(body: HTTPBody(bytes)) : .text(Encoded.text)
    response.fields["X-Advertised"] = accepted
    if isAccepted && request.method != .head {
      response.fields[.contentEncoding] = coding
      response.fields[field] = coding
    }
    return response
  }
}

/// One text in each coding.
private enum Encoded {
  static let text = String(repeating: "hello, ", count: 2_000)
  static let gzip = Data(
    base64Encoded: "H4sIAAAAAAACA+3FIQ0AAAgAsCoEoBYbgo3+jhDY37xrZjNakiRJkiRJkiRJkiRJkiRJkiRJkqRPBz3ghwiwNgAA")
  static let deflate = Data(
    base64Encoded: "eNrtxSENAAAIALAqBKAWG4KN/o4Q2N+8a2YzWpIkSZIkSZIkSZIkSZIkSZIkSZKkTwcFlI8P")
  static let brotli = Data(base64Encoded: "G682+I2Ubt5ECVKGlmwsb3FbJHDMBeA4")
}
