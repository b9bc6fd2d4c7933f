import Foundation
import NetCore
import NetTesting
import Synchronization
import Testing

/// Credentials that are refused once, and whose renewal may fail.
private final class OneRefusal: Authenticator {
  let renewals = Mutex(0)
  let failure: APIError?

  init(failure: APIError? = nil) {
    self.failure = failure
  }

  func scope(for request: HTTPRequest) -> CredentialScope? { CredentialScope("a") }

  func sign(_ request: HTTPRequest, context: RequestContext) -> HTTPRequest {
    var request = request
    request.fields[.authorization] = "Bearer \(renewals.withLock { $0 })"
    return request
  }

  func isRefusal(_ response: HTTPResponse) -> Bool { response.status == .unauthorized }

  func renewCredentials(refusedIn request: HTTPRequest, by response: HTTPResponse, context: RequestContext) throws {
    renewals.withLock { $0 += 1 }
    if let failure { throw failure }
  }
}

@Suite(.timeLimit(.minutes(1))) struct AuthenticationRetryTests {
  private func client(
    _ transport: any HTTPTransport, _ authenticator: OneRefusal, limit: ConcurrencyLimit? = nil
  ) -> HTTPClient {
    makeClient(transport) {
      $0.concurrencyLimit = limit
      $0.authenticator = authenticator
      $0.retry = .standard
      $0.retry.backoff = .none
    }
  }

  @Test func `a replay and a retry count as attempts of one call`() async throws {
    let transport = ClosureTransport { request in
      switch request.attempt {
      case 1: .status(401)
      case 2: .status(503)
      default: .text("tip")
      }
    }
    let reply = try await client(transport, OneRefusal()).reply(to: Endpoint<String>(path: "a"))
    #expect(reply.info.attempts == 3)
    #expect(transport.requests.map(\.attempt) == [1, 2, 3])
    #expect(transport.requests.map { $0.fields[.authorization] } == ["Bearer 0", "Bearer 1", "Bearer 1"])
    #expect(reply.info.failures.map(\.number) == [2])
  }

  @Test func `a renewal that failed is not repeated with the request`() async throws {
    let authenticator = OneRefusal(failure: .transport(.connectionRefused))
    let transport = ClosureTransport { _ in .status(401) }
    let error = try await apiError { try await client(transport, authenticator).send(Endpoint<String>(path: "a")) }
    #expect(error == .transport(.connectionRefused))
    #expect(authenticator.renewals.withLock { $0 } == 1)
    #expect(transport.requests.count == 1)
  }

  @Test func `with a concurrency limit of 1, a 401 is answered and the request replayed`() async throws {
    let endless = HTTPResponse(status: 401, body: ScriptedBody().body)
    let transport = ClosureTransport { $0.attempt == 1 ? endless : .text("tip") }
    let client = client(transport, OneRefusal(), limit: ConcurrencyLimit(perHost: 1, total: 1))
    #expect(try await client.open(Endpoint<String>(path: "a")).status == .ok)
  }
}
