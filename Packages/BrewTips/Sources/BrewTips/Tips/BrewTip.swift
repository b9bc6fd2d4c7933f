/// A tip for better coffee.
///
/// On the wire: `{"tip": "Rinse the paper filter with hot water first."}`.
public struct BrewTip: Sendable, Hashable {
  /// The tip, for people.
  public let text: String

  /// A tip.
  public init(_ text: String) {
    self.text = text
  }
}

extension BrewTip: Codable {
  private enum CodingKeys: String, CodingKey {
    case text = "tip"
  }

  /// Reads a tip; one without a visible character is not a tip, since it would make a blank card.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    text = try container.decode(String.self, forKey: .text)
    if text.allSatisfy(\.isWhitespace) {
      throw DecodingError.dataCorruptedError(forKey: .text, in: container, debugDescription: "The tip is blank.")
    }
  }
}
