/// A user of the server.
///
/// On the wire: `{"id": 1, "name": "Ada Lovelace", "email": "ada@example.com"}`.
public struct User: Sendable, Hashable, Identifiable, Codable {
  /// The server's number for the user.
  public let id: Int
  /// The name.
  public var name: String
  /// The e-mail address, as the server has it.
  public var email: String

  /// A user.
  public init(id: Int, name: String, email: String) {
    self.id = id
    self.name = name
    self.email = email
  }
}
