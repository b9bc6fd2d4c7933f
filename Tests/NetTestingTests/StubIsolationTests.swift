import Foundation
import NetCore
import NetTesting
import NetURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// 500 cases at the same time, each with its own answer for one and the same URL.
@Suite(.stubs, .timeLimit(.minutes(5))) struct StubIsolationTests {
  private static let requestCount = 20

  /// Sends the requests of one case all at once; every one of them must get this case's answer.
  private func expectOwnAnswers(_ number: Int, _ load: @escaping @Sendable () async throws -> String) async throws {
    stub(.get, "/v1/whose").reply { _ in .text("case \(number)") }
    let answers = try await withThrowingTaskGroup { group in
      for _ in 0..<Self.requestCount { group.addTask { try await load() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers == Array(repeating: "case \(number)", count: Self.requestCount))
    #expect(Stubs.current.requests.count == Self.requestCount)
  }

  @Test(arguments: 0..<500)
  func `no request crosses to another case of a client over URLSession`(number: Int) async throws {
    let client = sessionClient()
    try await expectOwnAnswers(number) { try await client.send(Endpoint(path: "whose")) }
  }

  @Test(arguments: 0..<500)
  func `no request crosses to another case of a plain session`(number: Int) async throws {
    let session = Stubs.current.session
    try await expectOwnAnswers(number) {
      String(decoding: try await session.load(URLRequest("/whose")).0, as: UTF8.self)
    }
  }
}
