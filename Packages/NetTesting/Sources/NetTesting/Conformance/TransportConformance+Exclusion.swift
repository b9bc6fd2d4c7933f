extension TransportConformance {
  /// Why a transport is excused from a case. A reason is always given: it may be a literal.
  public struct Exclusion: Sendable, Hashable {
    /// The reason, for whoever reads the list or the test's report.
    public let reason: String
    /// Whether the case is run all the same.
    public let isRun: Bool

    private init(_ reason: String, isRun: Bool) {
      precondition(!reason.isEmpty, "an exclusion needs a reason")
      self.reason = reason
      self.isRun = isRun
    }

    /// The case is run and must fail; when it passes, it is reported.
    public static func failing(_ reason: String) -> Self {
      Exclusion(reason, isRun: true)
    }

    /// The case is not run, because it would end or hang the process of the tests, or passes at times.
    public static func notRun(_ reason: String) -> Self {
      Exclusion(reason, isRun: false)
    }
  }
}

extension TransportConformance.Exclusion: ExpressibleByStringLiteral {
  /// The reason of a case that is run and must fail.
  public init(stringLiteral reason: String) {
    self = .failing(reason)
  }
}
