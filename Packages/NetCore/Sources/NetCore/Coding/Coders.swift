#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A client's encoder and decoder, and where in the content the value is.
public struct Coders: Sendable {
  /// Encodes the bodies of requests.
  public var encoder: any ContentEncoder
  /// Decodes the bodies of responses.
  public var decoder: any ContentDecoder
  /// The names that lead to the value in a response, outermost first; empty when the value is all of the content.
  public var keyPath: [String]

  /// Any encoder and decoder.
  ///
  /// - Parameters:
  ///   - encoder: Encodes the bodies of requests.
  ///   - decoder: Decodes the bodies of responses.
  ///   - keyPath: Where a response holds its value, as names joined by dots: `"data.user"` reads the value of
  ///     `{"data": {"user": …}}`. Names are those on the wire; under `.snakeCase` keys either form will do.
  public init(encoder: any ContentEncoder, decoder: any ContentDecoder, keyPath: String? = nil) {
    self.encoder = encoder
    self.decoder = decoder
    self.keyPath = keyPath?.split(separator: ".").map(String.init) ?? []
  }

  /// JSON with dates in ISO 8601, with or without fractions of a second, and keys as they are.
  public static let json = json()

  /// JSON.
  ///
  /// - Parameters:
  ///   - dates: How dates are written. Default: ISO 8601.
  ///   - keys: How keys are written. Default: as the properties are called.
  ///   - keyPath: Where a response holds its value, such as `"data.user"`. Default: it is all of the content.
  public static func json(
    dates: JSONCoding.Dates = .iso8601, keys: JSONCoding.Keys = .unchanged, keyPath: String? = nil
  ) -> Coders {
    let coding = JSONCoding(dates: dates, keys: keys)
    return Coders(encoder: coding, decoder: coding, keyPath: keyPath)
  }

  func encode(_ value: some Encodable) throws -> Data {
    do {
      return try encoder.encode(value)
    } catch {
      throw APIError.invalidRequest("The body, a \(type(of: value)), could not be encoded: \(describe(error)).", error)
    }
  }

  func decode<Value: Decodable>(_ type: Value.Type, from content: Data) throws -> Value {
    do {
      guard !keyPath.isEmpty else { return try decoder.decode(Value.self, from: content) }
      return try EnvelopePath.$current.withValue(keyPath[...]) {
        try decoder.decode(Envelope<Value>.self, from: content).value
      }
    } catch {
      throw APIError.decoding(DecodingFailure(error, of: Value.self, in: content), underlying: error)
    }
  }

  private func describe(_ error: any Error) -> String {
    if case EncodingError.invalidValue(_, let context) = error { return context.debugDescription }
    return String(describing: error)
  }
}
