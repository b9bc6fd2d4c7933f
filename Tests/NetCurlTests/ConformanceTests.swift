import NetCurl
import NetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ConformanceTests {
  @Test(arguments: TransportConformance.cases)
  func `CurlTransport conforms`(_ testCase: TransportConformance.Case) async throws {
    try await testCase.run(CurlTransport())
  }
}
