#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// JSON by Foundation's encoder and decoder, with the settings that APIs differ in.
public struct JSONCoding: ContentEncoder, ContentDecoder {
  /// How dates are written.
  public enum Dates: Sendable {
    /// ISO 8601 in UTC (`2026-12-01T08:30:00Z`); read with or without fractions of a second and with any offset.
    case iso8601
    /// Seconds since 1970, fractions allowed.
    case secondsSince1970
    /// Milliseconds since 1970.
    case millisecondsSince1970
    /// The caller's own.
    case custom(
      encode: @Sendable (Date, any Encoder) throws -> Void, decode: @Sendable (any Decoder) throws -> Date)
  }

  /// How keys are written.
  public enum Keys: Sendable {
    /// As the properties are called.
    case unchanged
    /// `userName` is `user_name` on the wire.
    case snakeCase
  }

  private let dates: Dates
  private let keys: Keys

  /// JSON with the given settings.
  public init(dates: Dates = .iso8601, keys: Keys = .unchanged) {
    self.dates = dates
    self.keys = keys
  }

  /// `application/json`.
  public var contentType: String { "application/json" }

  /// JSON first, then the problem details of RFC 9457.
  public var accept: String { "application/json, application/problem+json" }

  /// `value` as JSON, keys in a stable order.
  public func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if case .snakeCase = keys { encoder.keyEncodingStrategy = .convertToSnakeCase }
    encoder.dateEncodingStrategy =
      switch dates {
      case .iso8601: .iso8601
      case .secondsSince1970: .secondsSince1970
      case .millisecondsSince1970: .millisecondsSince1970
      case .custom(let encode, _): .custom(encode)
      }
    return try encoder.encode(value)
  }

  /// The value in the JSON text `content`.
  public func decode<Value: Decodable>(_ type: Value.Type, from content: Data) throws -> Value {
    let decoder = JSONDecoder()
    if case .snakeCase = keys { decoder.keyDecodingStrategy = .convertFromSnakeCase }
    decoder.dateDecodingStrategy =
      switch dates {
      case .iso8601: .custom(Self.iso8601Date)
      case .secondsSince1970: .secondsSince1970
      case .millisecondsSince1970: .millisecondsSince1970
      case .custom(_, let decode): .custom(decode)
      }
    return try decoder.decode(Value.self, from: content)
  }

  private static func iso8601Date(from decoder: any Decoder) throws -> Date {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    for style in [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)] {
      if let date = try? style.parse(text) { return date }
    }
    throw DecodingError.dataCorruptedError(
      in: container, debugDescription: "Expected a date in ISO 8601, such as 2026-12-01T08:30:00Z.")
  }
}
