public import NetCore
import Synchronization
public import Testing

/// The stubs of one test: what requests are answered with, and a record of those that came.
///
///     @Test(.stubs) func `today's tip is read`() async throws {
///       stub(.get, "/tips/today").reply(.json(#"{"tip": "Rinse the filter."}"#))
///       let client = HTTPClient(baseURL: url, transport: Stubs.current.transport)
///       …
///     }
///
/// The same stubs answer on every tier: ``transport`` (no network, the default), ``session`` and ``configuration`` (a
/// real URLSession). Tests with the `.stubs` trait have their own each, so that they run in parallel; without the trait,
/// make one with `Stubs()` and call ``verify()`` at the end.
///
/// A request that no stub matches fails, and fails the test even when the code under test swallows the error.
public final class Stubs: Sendable {
  private struct State {
    var stubs: [Stub] = []
    var requests: [RecordedRequest] = []
    var lateRequests: [RecordedRequest] = []
    var problems: [String] = []
    var timeSource = TimeSource.system
    var isClosed = false
  }

  /// Runs the replies of sessions, with the test's task-local values.
  let tasks = StubTasks()
  /// The session and its protocol class, made when they are first asked for.
  let sessions = StubSessions()
  let owner: StubOwner
  private let state = Mutex(State())

  /// Stubs of the caller's own, outside of the `.stubs` trait.
  ///
  /// Keep them as long as something may send requests to them: those that come later fail, and are reported.
  /// - Parameter sourceLocation: Where problems are reported. Default: the caller.
  public convenience init(sourceLocation: SourceLocation = #_sourceLocation) {
    self.init(owner: StubOwner(test: .current, sourceLocation: sourceLocation))
  }

  package init(owner: StubOwner) {
    self.owner = owner
  }

  deinit {
    tasks.close()
  }

  /// A stub for requests with this method and path; it answers once it has a reply.
  ///
  /// When several stubs match a request, the newest of them answers it, so that a test overrides what its suite set up.
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The whole path of the URL, that of the client's base URL included. A segment that is `*` stands for any
  ///     one segment. Scheme, host and query do not matter.
  ///   - sourceLocation: Where the stub is made, for what goes wrong with it.
  public func stub(
    _ method: HTTPRequest.Method, _ path: RequestPath, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Stub {
    if let problem = path.problem { Issue.record("\(problem)", sourceLocation: sourceLocation) }
    let stub = Stub(method: method, path: path)
    state.withLock { $0.stubs.append(stub) }
    return stub
  }

  /// The requests so far, in the order they came, unmatched ones included.
  public var requests: [RecordedRequest] {
    state.withLock { $0.requests }
  }

  /// The requests that came after ``close()``.
  public var lateRequests: [RecordedRequest] {
    state.withLock { $0.lateRequests }
  }

  /// What was wrong so far: the requests that no stub matched, and those a stub session cannot answer.
  public var problems: [String] {
    state.withLock { $0.problems }
  }

  /// Where delays take their time from. Default: the machine's clock; set a ``TestClock``'s to wait for nothing.
  public var timeSource: TimeSource {
    get { state.withLock { $0.timeSource } }
    set { state.withLock { $0.timeSource = newValue } }
  }

  /// Ends the scope: replies of sessions that are under way fail as cancelled, and so does every later request, which
  /// also fails the test run. The `.stubs` trait does it when the test ends.
  public func close() {
    state.withLock { $0.isClosed = true }
    tasks.close()
  }

  /// Fails the current test for each of ``problems``. The `.stubs` trait does it when the test ends.
  public func verify() {
    for problem in problems { owner.report(problem) }
  }
}

// MARK: - Answering

extension Stubs {
  /// Answers `request`, for a transport or server of the caller's own.
  ///
  /// - Throws: What the stub's reply throws; `APIError` of kind `unsupported` when no stub matches.
  public func answer(_ request: RecordedRequest) async throws -> HTTPResponse {
    try await match(request).response()
  }

  /// Records `request` and takes the reply that is its turn: who came first is decided here, before any delay.
  func match(_ request: RecordedRequest) -> StubReply {
    let (stubs, timeSource, isClosed) = state.withLock { state in
      state.isClosed ? state.lateRequests.append(request) : state.requests.append(request)
      return (state.stubs, state.timeSource, state.isClosed)
    }
    if isClosed {
      return StubReply(request) { [owner] _ in throw owner.reportLate(request) }
    }
    for stub in stubs.reversed() {
      if let reply = stub.reply(to: request, timeSource: timeSource) { return reply }
    }
    let known = stubs.isEmpty ? "there are none" : stubs.map(\.description).joined(separator: ", ")
    let problem = "No stub matches \(request) (stubs: \(known))."
    note(problem)
    return StubReply(request) { _ in throw APIError(.unsupported, reason: problem) }
  }

  /// Keeps a problem until the end of the test.
  func note(_ problem: String) {
    state.withLock { $0.problems.append(problem) }
  }
}
