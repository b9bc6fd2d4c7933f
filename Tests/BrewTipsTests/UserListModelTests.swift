import BrewTips
import NetCore
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct UserListModelTests {
  private let service = FakeUsers()
  private let model: UserListModel
  private let ada = User(id: 1, name: "Ada Lovelace", email: "ada@example.com")
  private let alan = User(id: 2, name: "Alan Turing", email: "alan@example.com")

  init() {
    model = UserListModel(service: service)
  }

  private func begin() async throws -> (task: Task<Void, Never>, call: Calls<[User]>.Call) {
    let task = Task { await model.reload() }
    return (task, try await service.calls.next())
  }

  private func reload(_ answer: Result<[User], any Error>) async throws {
    let (task, call) = try await begin()
    call.answer(answer)
    await task.value
  }

  @Test func `starts empty`() {
    #expect(model.users.isEmpty)
    #expect(model.errorMessage == nil)
    #expect(!model.isLoading)
  }

  @Test func `is loading until the users are there`() async throws {
    let (task, call) = try await begin()
    #expect(model.isLoading)

    call.answer(.success([ada, alan]))
    await task.value

    #expect(model.users == [ada, alan])
    #expect(!model.isLoading)
  }

  @Test func `a failure says why and leaves the users`() async throws {
    try await reload(.success([ada]))
    try await reload(.failure(APIError.forbidden))

    #expect(model.users == [ada])
    #expect(model.errorMessage == "You are not allowed to do this.")
    #expect(!model.isLoading)
  }

  @Test func `a success clears the message`() async throws {
    try await reload(.failure(Mute()))
    #expect(model.errorMessage != nil)
    try await reload(.success([]))

    #expect(model.errorMessage == nil)
  }

  @Test func `a cancelled reload leaves everything as it was`() async throws {
    try await reload(.failure(APIError.forbidden))
    let (task, _) = try await begin()
    task.cancel()
    await task.value

    #expect(model.errorMessage == "You are not allowed to do this.")
    #expect(!model.isLoading)
  }

  @Test func `the later of two reloads counts when the earlier ends last`() async throws {
    let (early, late) = (try await begin(), try await begin())
    late.call.answer(.success([ada, alan]))
    await late.task.value
    #expect(!model.isLoading)

    early.call.answer(.success([ada]))
    await early.task.value
    #expect(model.users == [ada, alan])
  }
}
