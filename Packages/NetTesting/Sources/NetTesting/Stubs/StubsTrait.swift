public import NetCore
public import Testing

/// Gives each test case stubs of its own, which ``Stubs/current`` finds.
///
///     @Suite(.stubs) struct TipTests {
///       @Test func `today's tip is read`() async throws {
///         stub(.get, "/tips/today").reply(.json(#"{"tip": "Rinse the filter."}"#))
///         …
///       }
///     }
///
/// When the test ends the stubs are closed, and every request that no stub matched fails it.
public struct StubsTrait: SuiteTrait, TestTrait, TestScoping {
  /// Every test of a suite has the trait.
  public var isRecursive: Bool { true }

  /// Runs a test case with stubs of its own.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let stubs = Stubs(owner: StubOwner(test: test, sourceLocation: test.sourceLocation))
    defer {
      stubs.close()
      stubs.verify()
    }
    try await Stubs.$scoped.withValue(stubs) { try await function() }
  }
}

extension Trait where Self == StubsTrait {
  /// Stubs of its own for the test, or for each test of the suite.
  public static var stubs: Self { Self() }
}

extension Stubs {
  @TaskLocal static var scoped: Stubs?

  /// The stubs of the test that runs in this task.
  ///
  /// Outside of a test with the `.stubs` trait the test fails, and the stubs are closed ones that answer nothing.
  public static var current: Stubs {
    current(Test.current?.sourceLocation ?? #_sourceLocation)
  }

  fileprivate static func current(_ sourceLocation: SourceLocation) -> Stubs {
    if let scoped { return scoped }
    Issue.record(
      """
      There are no stubs here: add `.stubs` to the suite or test (`@Suite(.stubs)`), or make some with `Stubs()`. In a \
      detached task, pass the stubs along.
      """, sourceLocation: sourceLocation)
    let closed = Stubs(sourceLocation: sourceLocation)
    closed.close()
    return closed
  }
}

/// A stub in the stubs of the current test: the same as `Stubs.current.stub(method, path)`.
public func stub(
  _ method: HTTPRequest.Method, _ path: RequestPath, sourceLocation: SourceLocation = #_sourceLocation
) -> Stub {
  Stubs.current(sourceLocation).stub(method, path, sourceLocation: sourceLocation)
}
