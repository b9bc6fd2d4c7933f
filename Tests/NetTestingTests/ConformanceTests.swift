import Foundation
import NetCore
import NetTesting
import NetURLSession
import Synchronization
import Testing

/// The suite can fail: transports that are wrong on purpose fail the cases that are about it.
@Suite(.timeLimit(.minutes(1))) struct ConformanceTests {
  typealias Case = TransportConformance.Case

  @Test(arguments: WrongTransport.Fault.all)
  func `a wrong transport fails the case about it, and a right one passes`(_ fault: WrongTransport.Fault) async throws {
    let wrong = await fault.testCase.outcome(with: WrongTransport(fault), within: fault.limit)
    let failure = try #require(wrong.failure, "\(wrong)")
    #expect(failure.caseName == fault.testCase.name)
    #expect(failure.problem.contains(fault.problem), "\(failure)")
    let right = await fault.testCase.outcome(with: RightTransport())
    #expect(right.failure == nil)
  }

  @Test func `a case that hangs fails at its limit, and says what it waited for`() async throws {
    let outcome = await Case.headRequest.outcome(with: HangingTransport(), within: .milliseconds(50))
    let failure = try #require(outcome.failure, "\(outcome)")
    #expect(failure.problem == "waited 0.05 seconds for a response to HEAD / [streaming]")
  }

  @Test func `a failing case throws its failure`() async throws {
    let error = await #expect(throws: TransportConformance.Failure.self) {
      try await Case.redirectsNotFollowed.run(WrongTransport(.followsRedirects))
    }
    #expect(error?.description == "follows no redirect: expected the status to be 301, got 200 [streaming]")
  }

  @Test func `an excluded case that fails is a known issue`() async throws {
    let excluded = try Self.excluding(.redirectsNotFollowed, "it follows them")
    guard case .excluded = await excluded.outcome(with: WrongTransport(.followsRedirects)) else {
      Issue.record("the failure is not excluded")
      return
    }
    try await excluded.run(WrongTransport(.followsRedirects))
    #expect(excluded.testDescription == "follows no redirect (excluded)")
  }

  @Test func `an excluded case that passes is reported`() async throws {
    let excluded = try Self.excluding(.redirectsNotFollowed, "it follows them")
    let failure = await excluded.outcome(with: RightTransport()).failure
    #expect(failure?.problem == "passes, but is excluded because it follows them: take it off the list")
  }

  @Test func `a case that is not to be run is skipped`() async throws {
    let excluded = try Self.excluding(.trailers, .notRun("it traps"))
    guard case .skipped("it traps") = await excluded.outcome(with: HangingTransport()) else {
      Issue.record("the case is not skipped")
      return
    }
  }

  @Test func `every case has a name of its own`() {
    #expect(Set(TransportConformance.cases).count == TransportConformance.cases.count)
  }

  private static func excluding(_ testCase: Case, _ exclusion: TransportConformance.Exclusion) throws -> Case {
    let cases = TransportConformance.cases(excluding: [testCase: exclusion])
    #expect(cases == TransportConformance.cases)
    #expect(cases.filter { $0.exclusion != nil } == [testCase])
    return try #require(cases.first { $0 == testCase })
  }
}

/// A transport that conforms, as far as these tests look. It has a session for each request: on Linux, a session repeats a
/// request whose kept connection dies.
private struct RightTransport: HTTPTransport {
  func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
    try await URLSessionTransport().send(request, context: context)
  }
}

/// A transport with one thing wrong.
struct WrongTransport: HTTPTransport {
  private let fault: Fault

  init(_ fault: Fault) {
    self.fault = fault
  }

  func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
    try await fault.send(request) { try await RightTransport().send($0, context: context) }
  }
}

extension WrongTransport {
  /// What is wrong, and how a case must say so.
  struct Fault: CustomTestStringConvertible {
    typealias Next = (HTTPRequest) async throws -> HTTPResponse

    let testDescription: String
    let testCase: TransportConformance.Case
    let problem: String
    let limit: Duration
    let send: @Sendable (HTTPRequest, Next) async throws -> HTTPResponse

    private init(
      _ name: String, _ testCase: TransportConformance.Case, says problem: String,
      within limit: Duration = .seconds(30),
      send: @escaping @Sendable (HTTPRequest, Next) async throws -> HTTPResponse
    ) {
      testDescription = name
      self.testCase = testCase
      self.problem = problem
      self.limit = limit
      self.send = send
    }

    static let followsRedirects = Fault(
      "follows redirects", .redirectsNotFollowed, says: "expected the status to be 301, got 200"
    ) { request, next in
      let response = try await next(request)
      return response.fields.contains(.location) ? HTTPResponse(body: response.body) : response
    }

    static let all = [
      followsRedirects,
      Fault("repeats a POST", .postSentOnce, says: "how often the server was asked to act to be 1, got 2") {
        do { return try await $1($0) } catch APIError.transport(.connectionLost) { return try await $1($0) }
      },
      Fault("drops fields", .customFields, says: #"X-Sent at the server to be "a, b;c="d e" (f)", got "nothing""#) {
        try await $1(HTTPRequest(method: $0.method, url: $0.url, body: $0.body))
      },
      Fault("swallows truncation", .incompleteBody, says: "was cut short.), got 200 OK with 5 bytes") {
        let response = try await $1($0)
        var received = Data()
        do { for try await chunk in response.body { received += chunk } } catch {}
        return HTTPResponse(status: response.status, fields: response.fields, body: HTTPResponse.Body(received))
      },
      Fault("turns failures into 502", .closeBeforeReply, says: "got 502 Bad Gateway with 0 bytes") {
        do { return try await $1($0) } catch { return HTTPResponse(status: 502) }
      },
      Fault("says that nothing was sent", .closeBeforeReply, says: "mayHaveReachedServer of") {
        do { return try await $1($0) } catch APIError.transport(.connectionLost) {
          throw APIError(.transport(.connectionLost), reason: "lost", mayHaveReachedServer: false)
        }
      },
      Fault("loses the body of 401", .challengeDelivered, says: #"the body to be "who are you?", got """#) {
        var response = try await $1($0)
        if response.status == .unauthorized { response.body = .empty }
        return response
      },
      Fault("decodes paths", .targets, says: #"the target to be "/a%2Fb/c;d=1/", got "/a/b/c;d=1/""#) {
        var request = $0
        let text = request.url.absoluteString.replacing("%2F", with: "/")
        if let url = URL(string: text) { request.url = url }
        return try await $1(request)
      },
      Fault("passes on what is not valid", .framingRefused, says: "fail as invalidRequest, got 200 OK") {
        var request = $0
        request.fields = [:]
        return try await $1(request)
      },
      Fault("loses the end of a body", .echoOfBytes, says: "expected the size to be 1, got 0") {
        let response = try await $1($0)
        let bytes = try await response.body.collect(upTo: 100_000_000)
        return HTTPResponse(fields: response.fields, body: HTTPResponse.Body(bytes.dropLast()))
      },
      Fault("has a cache", .nothingCached, says: "the number of requests to be 2, got 1", send: caching()),
      Fault(
        "keeps what is dropped", .droppedUnread, says: "for every connection to be closed", within: .seconds(3),
        send: keeping()),
      Fault("throws its own error when cancelled", .cancelledBeforeHead, says: "CancellationError, got APIError") {
        do { return try await $1($0) } catch is CancellationError { throw APIError.transport(.other) }
      },
    ]

    private static func caching() -> @Sendable (HTTPRequest, Next) async throws -> HTTPResponse {
      let cache = Mutex<[URL: HTTPResponse]>([:])
      return { request, next in
        if let stored = cache.withLock({ $0[request.url] }) { return stored }
        let response = try await next(request).collectingBody(upTo: 1_000_000)
        cache.withLock { $0[request.url] = response }
        return response
      }
    }

    private static func keeping() -> @Sendable (HTTPRequest, Next) async throws -> HTTPResponse {
      let kept = Mutex<[HTTPResponse]>([])
      return { request, next in
        let response = try await next(request)
        kept.withLock { $0.append(response) }
        return response
      }
    }
  }
}

/// A transport that never answers, also when it is cancelled.
private struct HangingTransport: HTTPTransport {
  func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    await Task { for await _ in stream {} }.value
    withExtendedLifetime(continuation) {}
    throw CancellationError()
  }
}

extension TransportConformance.Outcome {
  fileprivate var failure: TransportConformance.Failure? {
    if case .failed(let failure) = self { failure } else { nil }
  }
}
