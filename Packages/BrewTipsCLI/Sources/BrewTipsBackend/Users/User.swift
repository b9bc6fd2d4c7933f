/// A user, as it is kept and sent.
struct User: Sendable, Hashable, Codable {
  let id: Int
  let name: String
  let email: String
}
