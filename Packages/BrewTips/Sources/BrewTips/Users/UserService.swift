/// Where users are kept, as the models see it.
///
/// Every call throws `CancellationError` when the task was cancelled, else whatever went wrong.
public protocol UserService: Sendable {
  /// All users, in the order of the server.
  func users() async throws -> [User]
  /// The user with the given number.
  func user(id: User.ID) async throws -> User
  /// Adds a user, whom the server gives a number.
  func createUser(name: String, email: String) async throws -> User
}
