/// The response type of a call that answers with no content, or with content that does not matter.
///
/// The same as `Void`, for places that need a nominal or `Decodable` type.
public struct EmptyResponse: Sendable, Hashable, Codable, EmptyRepresentable {
  /// The only value.
  public static let empty = EmptyResponse()

  /// The only value.
  public init() {}

  /// Reads nothing: any content will do.
  public init(from decoder: any Decoder) {}
}
