import BrewTips

/// Calls that wait until the test answers them.
final class Calls<Value: Sendable>: Sendable {
  /// One call under way.
  struct Call: Sendable {
    fileprivate let answers: AsyncStream<Result<Value, any Error>>.Continuation

    func answer(_ result: Result<Value, any Error>) {
      answers.yield(result)
    }
  }

  private let calls = AsyncStream.makeStream(of: Call.self)

  /// What the code under test calls: waits for the answer, or for the end of the task.
  func make() async throws -> Value {
    let answers = AsyncStream.makeStream(of: Result<Value, any Error>.self)
    calls.continuation.yield(Call(answers: answers.continuation))
    for await answer in answers.stream { return try answer.get() }
    throw CancellationError()
  }

  /// The next call that was made; waits for one.
  func next() async throws -> Call {
    for await call in calls.stream { return call }
    throw CancellationError()
  }
}

struct FakeTips: BrewTipsService {
  let calls = Calls<TipOfTheDay>()

  func tipOfTheDay() async throws -> TipOfTheDay {
    try await calls.make()
  }
}

struct FakeUsers: UserService {
  let calls = Calls<[User]>()

  func users() async throws -> [User] {
    try await calls.make()
  }

  func user(id: User.ID) async throws -> User {
    throw CancellationError()
  }

  func createUser(name: String, email: String) async throws -> User {
    throw CancellationError()
  }
}

/// An error that has no words for people.
struct Mute: Error {}
