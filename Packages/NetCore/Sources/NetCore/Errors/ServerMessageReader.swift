#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds the server's message in a failed response.
public struct ServerMessageReader: Sendable {
  private let read: @Sendable (CollectedResponse, Coders) -> ServerMessage?

  /// Understands `application/problem+json` (RFC 9457), `{"error": {"message": …, "code": …}}`, `{"error": "…"}` and
  /// `{"message": …, "code": …}`. The default.
  public static let standard = ServerMessageReader { response, _ in
    guard !response.body.isEmpty else { return nil }
    let decoder = JSONDecoder()
    if response.fields[.contentType]?.lowercased().hasPrefix("application/problem+json") == true,
      let problem = try? decoder.decode(ProblemDetails.self, from: response.body)
    {
      let fallback = problem.type == "about:blank" ? response.status.reasonPhrase : problem.type
      return ServerMessage(problem.detail ?? problem.title ?? fallback, problem: problem)
    }
    return (try? decoder.decode(CommonError.self, from: response.body))?.message
  }

  /// The caller's own error type, decoded by the client's coders; what is not of that type is left to ``standard``.
  public static func decoding<Value: Decodable & SendableMetatype>(
    _ type: Value.Type, message: @escaping @Sendable (Value) -> ServerMessage?
  ) -> ServerMessageReader {
    ServerMessageReader { response, coders in
      var plain = coders
      plain.keyPath = []
      guard let value = try? plain.decode(Value.self, from: response.body) else {
        return standard.message(in: response, coders: coders)
      }
      return message(value)
    }
  }

  /// A reader of the caller's own.
  public init(_ read: @escaping @Sendable (CollectedResponse, Coders) -> ServerMessage?) {
    self.read = read
  }

  func message(in response: CollectedResponse, coders: Coders) -> ServerMessage? {
    read(response, coders)
  }
}

/// The two shapes of JSON errors that most APIs use.
private struct CommonError: Decodable {
  let message: ServerMessage?

  private enum Key: CodingKey {
    case error, message, code
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if let nested = try? container.nestedContainer(keyedBy: Key.self, forKey: .error) {
      message = Self.message(in: nested)
    } else if let text = try? container.decode(String.self, forKey: .error) {
      message = ServerMessage(text, code: Self.code(in: container))
    } else {
      message = Self.message(in: container)
    }
  }

  private static func message(in container: KeyedDecodingContainer<Key>) -> ServerMessage? {
    (try? container.decode(String.self, forKey: .message)).map { ServerMessage($0, code: code(in: container)) }
  }

  private static func code(in container: KeyedDecodingContainer<Key>) -> String? {
    (try? container.decode(String.self, forKey: .code))
      ?? (try? container.decode(Int.self, forKey: .code)).map(String.init)
  }
}
