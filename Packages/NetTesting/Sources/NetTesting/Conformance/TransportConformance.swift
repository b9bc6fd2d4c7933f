/// What every transport must do: a list of cases over a loopback server that any `HTTPTransport` can be run through.
///
///     @Suite(.timeLimit(.minutes(5))) struct SocketTransportConformanceTests {
///       @Test(arguments: TransportConformance.cases)
///       func `conforms`(_ testCase: TransportConformance.Case) async throws {
///         try await testCase.run(SocketTransport())
///       }
///     }
///
/// What a transport cannot do is excluded, with the reason:
///
///     static let cases = TransportConformance.cases(excluding: [
///       .trailers: "SocketTransport reads no trailer fields yet",
///       .closeInHead: .notRun("SocketTransport 1.2 traps there"),
///     ])
///
/// Each case has servers of its own, so that all may run side by side, and a limit of time.
public enum TransportConformance {
  /// All cases.
  public static let cases =
    Case.heads + Case.bodies + Case.encodings + Case.fields + Case.faults + Case.requests + Case.policies
    + Case.connections + Case.flow + Case.cancellation

  /// All cases, of which those in `exclusions` are known to fail.
  ///
  /// An excluded case stays in the list: it is run and its failure is a known issue, so that it is reported when it begins
  /// to pass. One excluded as ``Exclusion/notRun(_:)`` is skipped.
  public static func cases(excluding exclusions: [Case: Exclusion]) -> [Case] {
    cases.map { testCase in
      var testCase = testCase
      testCase.exclusion = exclusions[testCase]
      return testCase
    }
  }
}
