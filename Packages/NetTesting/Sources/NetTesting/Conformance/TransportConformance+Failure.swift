extension TransportConformance {
  /// What a transport did that the suite does not allow.
  public struct Failure: Error, Sendable, CustomStringConvertible {
    /// The name of the case.
    public let caseName: String
    /// What was expected, and what happened.
    public let problem: String

    /// The case with its problem.
    public var description: String { "\(caseName): \(problem)" }
  }

  /// How a run of a case came out.
  public enum Outcome: Sendable {
    /// The transport conforms.
    case passed
    /// It does not; or it does, and the case is excluded as one that fails.
    case failed(Failure)
    /// It does not, as the exclusion says.
    case excluded(Failure)
    /// The case was not run, for a reason: an exclusion, or something that the machine lacks or the transport does not
    /// claim to do.
    case skipped(String)
  }
}
