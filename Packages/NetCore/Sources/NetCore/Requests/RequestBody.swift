#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The content of an ``APIRequest``: it holds a value, which the client encodes with its coders when it sends.
public struct RequestBody: Sendable {
  enum Content: Sendable {
    case none
    case encoded(any Encodable & Sendable)
    case form(Query)
    case multipart(MultipartForm)
    case raw(HTTPBody, contentType: String?)
  }

  let content: Content
  private var feed: ProgressFeed?

  private init(content: Content) {
    self.content = content
  }

  /// No content.
  public static let none = RequestBody(content: .none)

  /// A value, encoded by the client's coders; `Content-Type` is the encoder's.
  public static func encoded(_ value: some Encodable & Sendable) -> RequestBody {
    RequestBody(content: .encoded(value))
  }

  /// Form fields, as `application/x-www-form-urlencoded`.
  public static func form(_ fields: Query) -> RequestBody {
    RequestBody(content: .form(fields))
  }

  /// Fields and files, as `multipart/form-data`.
  public static func multipart(_ form: MultipartForm) -> RequestBody {
    RequestBody(content: .multipart(form))
  }

  /// Text, as `text/plain; charset=utf-8` unless another type is named.
  public static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> RequestBody {
    .bytes(Data(text.utf8), contentType: contentType)
  }

  /// Bytes, as `application/octet-stream` unless another type is named.
  public static func bytes(_ bytes: Data, contentType: String = "application/octet-stream") -> RequestBody {
    .stream(HTTPBody(bytes), contentType: contentType)
  }

  /// A body of any make, such as a file. Without a content type none is sent.
  public static func stream(_ body: HTTPBody, contentType: String?) -> RequestBody {
    RequestBody(content: .raw(body, contentType: contentType))
  }

  /// This content, which tells `feed` how much of it is through.
  func counted(by feed: ProgressFeed) -> RequestBody {
    var body = self
    body.feed = feed
    return body
  }

  /// The bytes on the wire, and their type.
  func encode(with coders: Coders) throws -> (body: HTTPBody, contentType: String?) {
    let (body, contentType) = try encodeContent(with: coders)
    return (feed.map(body.counted) ?? body, contentType)
  }

  private func encodeContent(with coders: Coders) throws -> (body: HTTPBody, contentType: String?) {
    switch content {
    case .none:
      (.empty, nil)
    case .encoded(let value):
      (HTTPBody(try coders.encode(value)), coders.encoder.contentType)
    case .form(let fields):
      (HTTPBody(Data(fields.formEncoded.utf8)), "application/x-www-form-urlencoded")
    case .multipart(let form):
      (try form.makeBody(), form.contentType)
    case .raw(let body, let contentType):
      (body, contentType)
    }
  }
}

extension RequestBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// What kind of content it is, and nothing of it: printing a body leaks no secret.
  public var description: String {
    switch content {
    case .none: "no content"
    case .encoded(let value): "an encoded \(type(of: value))"
    case .form: "form fields"
    case .multipart(let form): "\(form)"
    case .raw(let body, let contentType): "\(body.length.map { "\($0)" } ?? "?") bytes of \(contentType ?? "no type")"
    }
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// No children: neither does dumping one.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
