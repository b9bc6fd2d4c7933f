import NetCore
import NetLoopback

/// What is kept from run to run.
struct BackendState: Sendable, Equatable, Codable {
  static let version = 1
  static let maximumUsers = 1_000
  private static let highestID = 1 << 53  // what a number in JSON can be to everybody

  /// The form of the file.
  private(set) var version = Self.version
  /// The port to listen on, once there was one.
  var port: Int?
  /// The number of the user who was added last: none is given twice.
  private(set) var lastID = 0
  /// The users, in the order they were added.
  private(set) var users: [User] = []

  /// Adds a user under the next number.
  ///
  /// - Throws: ``/NetLoopback/LoopbackError`` with status 507 when there are too many.
  mutating func add(_ new: NewUser) throws(LoopbackError) -> User {
    guard users.count < Self.maximumUsers, lastID < Self.highestID else {
      throw LoopbackError(507, "There are \(users.count) users, and there is no room for more.")
    }
    lastID += 1
    let user = User(id: lastID, name: new.name, email: new.email)
    users.append(user)
    return user
  }

  /// Whether this can have been written by ``StateFile``.
  var isSound: Bool {
    let ids = Set(users.map(\.id))
    return version == Self.version && (1...65_535).contains(port ?? 1) && (0...Self.highestID).contains(lastID)
      && ids.count == users.count && ids.allSatisfy { (1...lastID).contains($0) }
  }
}
