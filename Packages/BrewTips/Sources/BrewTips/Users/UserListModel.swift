public import Observation

/// The state of a list of users.
@MainActor @Observable
public final class UserListModel {
  /// The users that came last; a failure leaves them.
  public private(set) var users: [User] = []
  /// Why the last load failed, for people; `nil` when it did not.
  public private(set) var errorMessage: String?
  private var loads = LoadSequence()
  private let service: any UserService

  /// A model that has not asked for anything yet.
  public init(service: any UserService) {
    self.service = service
  }

  /// Whether users are on their way.
  public var isLoading: Bool {
    loads.isLoading
  }

  /// Loads the users.
  ///
  /// Of several loads at once the one that began last counts. A cancelled one leaves everything as it was.
  public func reload() async {
    let load = loads.begin()
    do {
      let users = try await service.users()
      guard loads.settle(load) else { return }
      self.users = users
      errorMessage = nil
    } catch let error where isCancellation(error) {
      loads.abandon(load)
    } catch {
      if loads.settle(load) { errorMessage = message(for: error) }
    }
  }
}
