/// A tip of `Resources/tips.json`, with the place it has there, from 1, as its number.
struct Tip: Sendable, Equatable, Encodable {
  let id: Int
  let category: String
  let text: String

  private enum CodingKeys: String, CodingKey {
    case id, category
    case text = "tip"
  }
}
