public import NetCore
import Synchronization
import Testing

/// A client for tests of features: returns values and throws errors, without requests and responses.
///
///     let client = FakeNetworkClient(returning: Tip(text: "Rinse the filter."))
///     let client = FakeNetworkClient(throwing: APIError.notFound)
///     let client = FakeNetworkClient { request in
///       switch request {
///       case let request as GetUser: User(id: request.id)
///       default: throw APIError.notFound
///       }
///     }
public final class FakeNetworkClient: NetworkClient {
  /// Gives the value for a request, or throws what the call is to throw. `()` is the value of a `Void` request.
  public typealias Answer = @Sendable (any APIRequest) async throws -> any Sendable

  private let answer: Answer
  private let recorded = Mutex<[any APIRequest]>([])

  /// A client whose calls `answer` decides; they may come at the same time.
  public init(_ answer: @escaping Answer) {
    self.answer = answer
  }

  /// A client whose every call returns `value`.
  public convenience init(returning value: some Sendable) {
    self.init { _ in value }
  }

  /// A client whose every call throws `error`.
  public convenience init(throwing error: any Error) {
    self.init { _ in throw error }
  }

  /// The requests so far, in the order they came.
  public var requests: [any APIRequest] {
    recorded.withLock { $0 }
  }

  /// Records `request` and gives its value.
  ///
  /// - Throws: What the answer throws; ``FakeNetworkClient/WrongType`` when the value is not what the request reads, which
  ///   fails the test too.
  public func reply<R: APIRequest>(to request: R) async throws -> Reply<R.Response> {
    try Task.checkCancellation()
    recorded.withLock { $0.append(request) }
    let value = try await answer(request)
    guard let value = value as? R.Response else {
      let mistake = WrongType(given: type(of: value), request: R.self, response: R.Response.self)
      // Also when the code under test takes the error for a failed call.
      Issue.record(mistake)
      throw mistake
    }
    return Reply(value)
  }

  /// A fake gave a value of another type than its request reads: a mistake in the test.
  public struct WrongType: Error, CustomStringConvertible {
    /// What was given for which request, and what it reads.
    public let description: String

    init(given: Any.Type, request: Any.Type, response: Any.Type) {
      description = "The fake client gave a \(given) for a \(request), which reads a \(response): give that instead."
    }
  }
}
