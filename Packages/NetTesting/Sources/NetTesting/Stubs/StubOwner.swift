import NetCore
package import Testing

/// The test that stubs belong to, as far as it is needed after it has ended.
package struct StubOwner: Sendable {
  private let testName: String?
  private let record: @Sendable (String) -> Void

  package init(test: Test?, sourceLocation: SourceLocation) {
    self.init(test: test) { Issue.record(Comment(rawValue: $0), sourceLocation: sourceLocation) }
  }

  /// An owner whose problems go to `record`, for tests of the reports themselves.
  package init(test: Test?, record: @escaping @Sendable (String) -> Void) {
    testName = test.map { $0.displayName ?? $0.name }
    self.record = record
  }

  /// Fails the test.
  func report(_ problem: String) {
    record(problem)
  }

  /// Fails the test for a request that came when the stubs were closed or gone, and returns the request's error.
  func reportLate(_ request: some CustomStringConvertible) -> APIError {
    let test = testName.map { " of \"\($0)\"" } ?? ""
    let problem =
      "\(request) came after the stubs\(test) were closed: await what the test started, or cancel it; keep stubs of "
      + "your own as long as their session."
    report(problem)
    return APIError(.unsupported, reason: problem)
  }
}
