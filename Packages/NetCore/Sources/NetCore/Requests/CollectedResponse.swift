#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A response whose body is in memory, as ``APIRequest/decode(_:coders:)`` reads it.
public struct CollectedResponse: Sendable {
  /// The status code.
  public let status: HTTPResponse.Status
  /// The header fields.
  public let fields: HTTPFields
  /// All of the content.
  public let body: Data
  /// Where the response came from.
  public let url: URL?

  /// A response with the given head and content.
  public init(status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], body: Data = Data(), url: URL? = nil) {
    self.status = status
    self.fields = fields
    self.body = body
    self.url = url
  }

  /// The body read as a value.
  ///
  /// The rule for empty bodies, whatever the status (200, 204, 205, or any answer to `HEAD`): `Optional` gives `nil`,
  /// ``EmptyResponse``, `String` and `Data` give their empty value, any other type throws ``APIError/noData``. `String`
  /// is the body as text, and `Data` its bytes; any other type is decoded by the client's coders.
  /// - Throws: ``APIError`` of kind `noData`, or of kind `decoding` with the coding path and what was expected there.
  public func value<Value: Decodable>(as type: Value.Type, coders: Coders) throws -> Value {
    if body.isEmpty {
      guard let representable = Value.self as? any EmptyRepresentable.Type, let empty = representable.empty as? Value
      else { throw APIError.noData(expected: Value.self) }
      return empty
    }
    if let bytes = body as? Value { return bytes }
    if Value.self == String.self, let text = text as? Value { return text }
    return try coders.decode(Value.self, from: body)
  }

  /// The body as text: UTF-8, else ISO 8859-1, in which every byte is a character.
  public var text: String {
    String(validating: body, as: UTF8.self) ?? String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) }))
  }
}

/// A type with a value that stands for "the server sent no content".
public protocol EmptyRepresentable {
  /// The value that stands for no content.
  static var empty: Self { get }
}

extension Optional: EmptyRepresentable {
  /// `nil`.
  public static var empty: Self { nil }
}

extension String: EmptyRepresentable {
  /// The empty string.
  public static var empty: String { "" }
}

extension Data: EmptyRepresentable {
  /// No bytes.
  public static var empty: Data { Data() }
}

extension CollectedResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The status and the size: printing a response leaks no secret.
  public var description: String { "\(status), \(body.count) bytes" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// No children: neither does dumping one.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
