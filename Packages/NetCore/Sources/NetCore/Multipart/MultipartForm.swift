#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Fields and files as a form sends them: `multipart/form-data` (RFC 7578).
///
///     var form = MultipartForm()
///     form.append("caption", "Ferns")
///     try form.append("photo", file: URL(filePath: "ferns.jpg"))
///     let photo = try await client.send(Endpoint<Photo>(.post, path: "photos", body: .multipart(form)))
///
/// The parts are read while the form is sent, never copied into one piece or a temporary file. The request's length is exact
/// when every part's is known, and it can be sent again when every part can.
public struct MultipartForm: Sendable {
  /// What stands between the parts: 32 letters and digits.
  ///
  /// It is random (190 bits), chosen without a look at the parts and told to nobody before they are sent: no part contains
  /// it, except by a chance that is smaller than that of any fault of the machine, and no part can be written to contain it.
  /// Parts that are streams can be searched by no sender that does not hold all of them first.
  public let boundary: String
  /// The parts, in the order they are sent. Several may have the same name.
  public private(set) var parts: [Part] = []

  /// A form without parts.
  public init() {
    var generator = SystemRandomNumberGenerator()
    self.init(using: &generator)
  }

  /// A form without parts whose boundary comes from `generator`, for tests that compare bytes.
  ///
  /// Contents that an attacker may choose need a generator that nobody can predict.
  public init(using generator: inout some RandomNumberGenerator) {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    boundary = String(decoding: (0..<32).map { _ in alphabet.randomElement(using: &generator)! }, as: UTF8.self)
  }

  /// Adds a field whose value is text, as a form's input does.
  public mutating func append(_ name: String, _ value: String) {
    append(Part(name: name, body: HTTPBody(Data(value.utf8))))
  }

  /// Adds bytes in memory.
  ///
  /// - Parameters:
  ///   - name: The field's name.
  ///   - bytes: The content.
  ///   - filename: What the content is called, if it is a file.
  ///   - contentType: Default: by the extension of `filename`, or `application/octet-stream`.
  public mutating func append(_ name: String, bytes: Data, filename: String? = nil, contentType: String? = nil) {
    append(name, body: HTTPBody(bytes), filename: filename, contentType: contentType)
  }

  /// Adds a file, which is read while the form is sent.
  ///
  /// The file must not change until the request has ended; one whose length changed fails the request.
  ///
  /// - Parameters:
  ///   - name: The field's name.
  ///   - file: The file.
  ///   - filename: What the server is told that it is called. Default: its own name, without its folder.
  ///   - contentType: Default: by the extension of the filename, or `application/octet-stream`.
  /// - Throws: ``APIError`` of kind `invalidRequest` when `file` is not a readable regular file.
  public mutating func append(
    _ name: String, file: URL, filename: String? = nil, contentType: String? = nil
  ) throws {
    let filename = filename ?? file.lastPathComponent
    append(name, body: try HTTPBody(file: file), filename: filename, contentType: contentType)
  }

  /// Adds content of any make, such as a stream.
  ///
  /// - Parameters:
  ///   - name: The field's name.
  ///   - body: The content. One that has another length than it states fails the request.
  ///   - filename: What the content is called, if it is a file.
  ///   - contentType: Default: by the extension of `filename`, or `application/octet-stream`.
  public mutating func append(_ name: String, body: HTTPBody, filename: String? = nil, contentType: String? = nil) {
    let contentType = contentType ?? FileContentType.guess(from: filename)
    append(Part(name: name, filename: filename, contentType: contentType, body: body))
  }

  /// Adds a part.
  public mutating func append(_ part: Part) {
    parts.append(part)
  }
}

extension MultipartForm: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// How many parts there are, and nothing of them: printing a form leaks no secret.
  public var description: String { "a form of \(parts.count) parts" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// No children: neither does dumping one.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
