public import NetCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a handler answers: a response, one that breaks on the way, or a script of bytes.
///
///     LoopbackResponse.text("hello")
///     LoopbackResponse(status: .noContent)
///     try LoopbackResponse.json(user, status: .created)
///     LoopbackResponse(body: HTTPBody(file: url))                           // sent as it is read
///     LoopbackResponse.text("hello").breaking(.inBody(after: 2), by: .reset)
///     LoopbackResponse.raw("HTTP/1.1 200\r\n\r\nhi")
///
/// Framing is the server's: it sets `Content-Length` or `Transfer-Encoding`, `Connection` and `Trailer`. A field of the
/// handler's that contradicts is a fault of the handler's and answered with 500; `raw` sends anything.
public struct LoopbackResponse: Sendable {
  /// The status. Default: 200.
  public var status: HTTPResponse.Status
  /// The header fields, sent in order. `Date` is added unless it is there.
  public var fields: HTTPFields
  /// The content. One of known length has a `Content-Length`, another is chunked (to HTTP/1.0: ends the connection).
  public var body: HTTPBody
  /// Fields sent after the content, which is chunked for them. Not sent to HTTP/1.0.
  public var trailers: HTTPFields
  /// Where the response breaks off; `nil` sends it whole.
  public var fault: Fault?
  /// How fast it is sent; `nil` sends as fast as the client takes it.
  public var pace: Pace?
  var script: Script?

  /// A response.
  public init(
    status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], body: HTTPBody = .empty, trailers: HTTPFields = [:]
  ) {
    self.status = status
    self.fields = fields
    self.body = body
    self.trailers = trailers
  }

  /// A response of bytes.
  public static func bytes(
    _ bytes: Data, contentType: String = "application/octet-stream", status: HTTPResponse.Status = .ok
  ) -> Self {
    Self(status: status, fields: [.contentType: contentType], body: HTTPBody(bytes))
  }

  /// A response of text in UTF-8.
  public static func text(_ text: String, status: HTTPResponse.Status = .ok) -> Self {
    bytes(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
  }

  /// A response of JSON, encoded as `encoder` does.
  ///
  /// - Throws: What encoding throws.
  public static func json(
    _ value: some Encodable, status: HTTPResponse.Status = .ok, encoder: JSONEncoder = JSONEncoder()
  ) throws -> Self {
    bytes(try encoder.encode(value), contentType: "application/json", status: status)
  }

  /// Problem details (RFC 9457) with the status's own title.
  public static func problem(_ status: HTTPResponse.Status, detail: String? = nil) -> Self {
    let title = status.reasonPhrase.isEmpty ? "\(status)" : status.reasonPhrase
    let problem = ProblemDetails(title: title, status: status.code, detail: detail)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return bytes(
      (try? encoder.encode(problem)) ?? Data(), contentType: "application/problem+json", status: status)
  }
}
