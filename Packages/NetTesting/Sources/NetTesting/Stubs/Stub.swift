public import NetCore
import Synchronization

/// What some requests are answered with. Made by ``Stubs/stub(_:_:sourceLocation:)``:
///
///     stubs.stub(.get, "/users").query("page", "2").reply(.json("[]"))
///     stubs.stub(.post, "/users").reply { request in .json(request.text, status: .created) }
///     stubs.stub(.get, "/tips/today")                      // each in turn, the last one again and again:
///       .fail(APIError.transport(.connectionLost))
///       .reply(.status(503, fields: ["Retry-After": "1"]))
///       .reply(.json(#"{"tip": "Rinse the filter."}"#), after: .milliseconds(20))
///
/// Narrow a stub before its first reply, from which moment on it answers. With several replies, each request takes the
/// next one when it comes, whatever their delays; the last reply is never used up.
public final class Stub: Sendable {
  /// Answers a request, or throws what the exchange is to fail with.
  public typealias Answer = @Sendable (RecordedRequest) async throws -> HTTPResponse

  private struct Condition: Sendable {
    let description: String
    let holds: @Sendable (RecordedRequest) -> Bool
  }

  private struct Reply: Sendable {
    let delay: Duration
    let answer: Answer
  }

  private struct State {
    var conditions: [Condition] = []
    var replies: [Reply] = []
    var count = 0
  }

  private let method: HTTPRequest.Method
  private let path: String
  private let state = Mutex(State())

  init(method: HTTPRequest.Method, path: RequestPath) {
    self.method = method
    self.path = "/" + path.encoded
  }

  /// How many requests it has answered or is answering.
  public var count: Int {
    state.withLock { $0.count }
  }

  /// The reply to `request` whose turn it is; `nil` when the stub does not match or has no reply.
  func reply(to request: RecordedRequest, timeSource: TimeSource) -> StubReply? {
    guard request.method == method, matches(path: request.path) else { return nil }
    let conditions = state.withLock { $0.conditions }
    guard conditions.allSatisfy({ $0.holds(request) }) else { return nil }
    let reply = state.withLock { state -> Reply? in
      guard !state.replies.isEmpty else { return nil }
      defer { state.count += 1 }
      return state.replies[min(state.count, state.replies.count - 1)]
    }
    return reply.map { StubReply(request, after: $0.delay, timeSource: timeSource, $0.answer) }
  }

  private func matches(path other: String) -> Bool {
    if path == other || (path == "/" && other.isEmpty) { return true }
    guard path.contains("*") else { return false }
    let pattern = path.split(separator: "/", omittingEmptySubsequences: false)
    let segments = other.split(separator: "/", omittingEmptySubsequences: false)
    return pattern.count == segments.count
      && zip(pattern, segments).allSatisfy { $0 == $1 || ($0 == "*" && !$1.isEmpty) }
  }
}

// MARK: - Which requests

extension Stub {
  /// Only requests whose query has this item, both compared decoded.
  public func query(_ name: String, _ value: String) -> Stub {
    let isShown = Redactor.standard.queryItems.contains(name)
    return narrow("\(name)=\(isShown ? value : Redactor.placeholder)") { $0.queryItems(name).contains(value) }
  }

  /// Only requests with a header field of this name and value.
  public func field(_ name: HTTPField.Name, _ value: String) -> Stub {
    narrow("\(name)") { $0.fields[values: name].contains(value) }
  }

  /// Only requests whose body is this text.
  public func body(_ text: String) -> Stub {
    narrow("a body") { $0.text == text }
  }

  /// Only requests for which `condition` holds.
  public func when(_ condition: @escaping @Sendable (RecordedRequest) -> Bool) -> Stub {
    narrow("a condition", condition)
  }

  private func narrow(_ description: String, _ holds: @escaping @Sendable (RecordedRequest) -> Bool) -> Stub {
    state.withLock { $0.conditions.append(Condition(description: description, holds: holds)) }
    return self
  }
}

// MARK: - Replies

extension Stub {
  /// Replies with `response`.
  ///
  /// - Parameters:
  ///   - response: The reply.
  ///   - delay: How long after the request, by ``Stubs/timeSource``. Default: at once.
  @discardableResult
  public func reply(_ response: HTTPResponse, after delay: Duration = .zero) -> Stub {
    reply(after: delay) { _ in response }
  }

  /// Replies with what `answer` makes of the request.
  ///
  /// - Parameters:
  ///   - delay: How long after the request `answer` is called. Default: at once.
  ///   - answer: Makes the reply, or throws what the exchange fails with.
  @discardableResult
  public func reply(after delay: Duration = .zero, _ answer: @escaping Answer) -> Stub {
    state.withLock { $0.replies.append(Reply(delay: delay, answer: answer)) }
    return self
  }

  /// Fails the exchange.
  ///
  /// A transport throws `error` as it is. A session fails with it too, except that an `APIError` of kind `transport`
  /// becomes the `URLError` that a session has for it.
  /// - Parameter delay: How long after the request. Default: at once.
  @discardableResult
  public func fail(_ error: any Error, after delay: Duration = .zero) -> Stub {
    reply(after: delay) { _ in throw error }
  }

  /// Never answers: the request waits until it is cancelled.
  @discardableResult
  public func hang() -> Stub {
    reply { _ in try await waitUntilCancelled() }
  }
}

extension Stub: CustomStringConvertible {
  /// Which requests it is for: `GET /users with page=2`.
  public var description: String {
    let (conditions, hasReply) = state.withLock { ($0.conditions.map(\.description), !$0.replies.isEmpty) }
    let narrowed = conditions.isEmpty ? "" : " with \(conditions.joined(separator: " and "))"
    return "\(method) \(path)\(narrowed)\(hasReply ? "" : ", which has no reply")"
  }
}
