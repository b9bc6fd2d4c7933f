/// What is kept from run to run, as it was at one moment.
struct BackendState: Sendable, Equatable, Decodable {
  /// The port to listen on, once there was one.
  var port: Int?
  /// The number of the user who was added last: none is given twice.
  var lastID = 0
  /// The users, in the order they were added.
  var users: [User] = []

  /// Whether this can have been kept: what the tables demand, and that every user has a number that was given.
  var isSound: Bool {
    let ids = Set(users.map(\.id))
    return (1...65_535).contains(port ?? 1) && (0...StateSchema.highestID).contains(lastID)
      && ids.count == users.count && ids.allSatisfy { $0 >= 1 && $0 <= lastID }
  }
}
