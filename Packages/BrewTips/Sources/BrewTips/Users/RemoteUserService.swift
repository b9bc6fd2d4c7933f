public import NetCore

/// Users on a server: `GET users`, `GET users/{id}`, `POST users`.
///
/// Every call throws `APIError`, and `CancellationError` when the task was cancelled.
public struct RemoteUserService: UserService {
  private let client: any NetworkClient

  /// Users through `client`.
  public init(client: any NetworkClient) {
    self.client = client
  }

  /// All users.
  public func users() async throws -> [User] {
    try await client.send(ListUsers())
  }

  /// The user with the given number; `APIError.notFound` when there is none.
  public func user(id: User.ID) async throws -> User {
    try await client.send(GetUser(id: id))
  }

  /// Adds a user. What a name or an address must look like is the server's to decide.
  public func createUser(name: String, email: String) async throws -> User {
    try await client.send(CreateUser(name: name, email: email))
  }
}

struct ListUsers: APIRequest {
  typealias Response = [User]
  var path: RequestPath { "users" }
}

struct GetUser: APIRequest {
  typealias Response = User
  let id: User.ID
  var path: RequestPath { "users/\(id)" }
}

struct CreateUser: APIRequest {
  typealias Response = User

  private struct Content: Encodable {
    let name: String
    let email: String
  }

  let name: String
  let email: String
  var method: HTTPRequest.Method { .post }
  var path: RequestPath { "users" }
  var body: RequestBody { .encoded(Content(name: name, email: email)) }
}
