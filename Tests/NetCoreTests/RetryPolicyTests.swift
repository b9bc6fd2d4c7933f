import Foundation
import NetTesting
import Testing

@testable import NetCore

/// 2026-01-01T00:00:00Z
private let now = Date(timeIntervalSince1970: 1_767_225_600)

@Suite struct HTTPDateTests {
  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ("Wednesday, 31-Dec-75 23:59:59 GMT", 3_345_062_399), ("Friday, 31-Dec-77 23:59:59 GMT", 252_460_799),
    ("Wed, 01 Jan 0000 00:00:00 GMT", -62_167_219_200), ("Wed Jan 14 00:00:00 2026", 1_768_348_800),
    ("sun, 06 NOV 1994 08:49:37 gmt", 784_111_777), ("SUNDAY, 06-nov-94 08:49:37 GMT", 784_111_777),
  ])
  func `the three forms are read, in GMT`(text: String, seconds: Double) {
    #expect(HTTPDate.parse(text, now: now)?.timeIntervalSince1970 == seconds)
  }

  @Test(arguments: [
    "", "0", "yesterday", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49 GMT",
    "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 2025 08:49:37 GMT",
    "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 -1:00:00 GMT",
    "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
    "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
    "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 8:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 GMT+1", "Son, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08.49.37 GMT", "06 Nov 1994 08:49:37 GMT", "Sunday Nov  6 08:49:37 1994",
    "Sun, +6 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z",
  ])
  func `anything else is no date`(text: String) {
    #expect(HTTPDate.parse(text, now: now) == nil)
  }

  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.9), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Wed, 31 Dec 1969 23:59:59 GMT", -0.5), ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
    ("Fri, 31 Dec 9999 23:59:59 GMT", 1e18), ("Sat, 01 Jan 0000 00:00:00 GMT", -1e18),
  ])
  func `a date is written in the one form that is sent`(text: String, seconds: Double) {
    #expect(HTTPDate.text(Date(timeIntervalSince1970: seconds)) == text)
  }

  @Test func `what is written reads as the same moment, on days of 500 years`() {
    for day in stride(from: -70 * 365, to: 430 * 366, by: 29) {
      let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 86_399)
      guard HTTPDate.parse(HTTPDate.text(date), now: now) != date else { continue }
      Issue.record("\(day): \(HTTPDate.text(date))")
      return
    }
  }
}

@Suite struct RetryAfterTests {
  @Test(
    arguments: [
      ("0", .zero), ("120", .seconds(120)), ("007", .seconds(7)), ("99999999999999999999", .seconds(Int32.max)),
      ("Thu, 01 Jan 2026 00:00:30 GMT", .seconds(30)), ("Thursday, 01-Jan-26 00:00:30 GMT", .seconds(30)),
      ("Thu Jan  1 00:00:30 2026", .seconds(30)), ("Thu, 01 Jan 2015 00:00:00 GMT", .zero),
      ("Fri, 31 Dec 9999 23:59:59 GMT", .seconds(Int32.max)), ("-1", nil), ("1.5", nil), ("soon", nil), ("", nil),
      ("1, 2", nil), ("٣", nil), ("0x10", nil), ("+5", nil),
    ] as [(String, Duration?)])
  func `seconds and dates are understood, nothing else is`(value: String, wait: Duration?) {
    #expect(RetryAfter.wait(value, now: now) == wait)
  }
}

@Suite struct BackoffTests {
  @Test(arguments: [(1, 0.5), (2, 1.0), (3, 2.0), (7, 30.0), (100, 30.0), (100_000, 30.0)])
  func `an exponential wait grows up to its bound`(attempt: Int, seconds: Double) {
    let backoff = Backoff.exponential(jitter: .none)
    #expect(backoff.wait(afterAttempt: attempt, previous: .zero, chance: 0.9) == .seconds(seconds))
  }

  @Test(arguments: [0.0, 0.25, 0.999])
  func `full jitter is anywhere below`(chance: Double) {
    let wait = Backoff.exponential().wait(afterAttempt: 2, previous: .zero, chance: chance)
    #expect(wait == .seconds(chance))
  }

  @Test func `decorrelated jitter stays between the first wait and three times the last`() {
    let backoff = Backoff.exponential(base: .seconds(1), maximum: .seconds(10), jitter: .decorrelated)
    #expect(backoff.wait(afterAttempt: 1, previous: .zero, chance: 0.5) == .seconds(1))
    #expect(backoff.wait(afterAttempt: 2, previous: .seconds(2), chance: 0) == .seconds(1))
    #expect(backoff.wait(afterAttempt: 2, previous: .seconds(2), chance: 0.5) == .seconds(3.5))
    #expect(backoff.wait(afterAttempt: 9, previous: .seconds(10), chance: 0.9) <= .seconds(10))
  }

  @Test func `odd settings make no odd waits`() {
    #expect(Backoff.none.wait(afterAttempt: 5, previous: .seconds(1), chance: 0.5) == .zero)
    #expect(Backoff.constant(.seconds(-1)).wait(afterAttempt: 1, previous: .zero, chance: 0) == .zero)
    let shrinking = Backoff.exponential(base: .seconds(1), factor: 0.1, jitter: .none)
    #expect(shrinking.wait(afterAttempt: 3, previous: .zero, chance: 0) == .seconds(1))
    let huge = Backoff.exponential(factor: .infinity, maximum: .seconds(1), jitter: .none)
    #expect(huge.wait(afterAttempt: 3, previous: .zero, chance: 0) == .seconds(1))
  }
}

@Suite struct RetryDecisionTests {
  private func decide(
    _ method: HTTPRequest.Method, _ outcome: Result<HTTPResponse, any Error>, key: Bool = false, attempt: Int = 1,
    remaining: Duration? = nil, body: HTTPBody = .empty, _ configure: (inout RetryPolicy) -> Void = { _ in }
  ) -> Duration? {
    var policy = RetryPolicy()
    policy.backoff = .constant(.seconds(1))
    configure(&policy)
    let request = HTTPRequest(
      method: method, url: exampleURL, fields: key ? [.idempotencyKey: "k"] : [:], body: body)
    let situation = RetryPolicy.Situation(
      request: request, outcome: outcome, attempt: attempt, remaining: remaining, now: now)
    return policy.decision(in: situation)?.wait
  }

  @Test(
    arguments: [
      (408, true, false), (421, true, true), (425, true, true), (429, true, false), (500, true, false),
      (501, false, false), (502, true, false), (503, true, false), (504, true, false), (200, false, false),
      (301, false, false), (400, false, false), (401, false, false), (404, false, false), (409, false, false),
    ] as [(HTTPResponse.Status, Bool, Bool)])
  func `a status is repeated by method`(status: HTTPResponse.Status, idempotent: Bool, post: Bool) {
    for method in [HTTPRequest.Method.get, .head, .put, .delete, .options] {
      #expect((decide(method, .success(.status(status))) != nil) == idempotent)
    }
    for method in [HTTPRequest.Method.post, .patch, "PURGE"] {
      #expect((decide(method, .success(.status(status))) != nil) == post)
      #expect((decide(method, .success(.status(status)), key: true) != nil) == idempotent)
    }
  }

  @Test(arguments: [
    (APIError.transport(.nameResolution), true, true), (.transport(.connectionRefused), true, true),
    (.transport(.unreachable), true, true), (.timedOut(.connect), true, true),
    (.transport(.tls(.handshake)), true, true), (.transport(.connectionLost), true, false),
    (.transport(.truncated), true, false), (.timedOut(.firstByte), true, false), (.timedOut(.idle), true, false),
    (.timedOut(.attempt), true, false), (.transport(.proxy), true, false), (.transport(.other), true, false),
    (.timedOut(.total), false, false), (.transport(.tls(.untrusted)), false, false),
    (.transport(.tls(.pinMismatch)), false, false), (.transport(.malformed), false, false),
    (.transport(.offline), false, false), (.invalidRequest, false, false), (.invalidURL, false, false),
    (.decoding, false, false), (.noData, false, false), (.tooLarge, false, false), (.notHTTP, false, false),
    (APIError(.unsupported, reason: ""), false, false),
  ])
  func `a failure is repeated when it may pass and nothing acts twice`(error: APIError, get: Bool, post: Bool) {
    #expect((decide(.get, .failure(error)) != nil) == get)
    #expect((decide(.post, .failure(error)) != nil) == post)
    #expect((decide(.post, .failure(error), key: true) != nil) == get)
  }

  @Test func `what the transport knows better counts`() {
    let unseen = APIError(.transport(.connectionLost), reason: "", mayHaveReachedServer: false)
    #expect(decide(.post, .failure(unseen)) != nil)
    let seen = APIError(.transport(.connectionRefused), reason: "", mayHaveReachedServer: true)
    #expect(decide(.post, .failure(seen)) == nil)
  }

  @Test func `cancellation and errors of the caller's own are not repeated`() {
    struct Own: Error {}
    #expect(decide(.get, .failure(CancellationError())) == nil)
    #expect(decide(.get, .failure(Own())) == nil)
  }

  @Test func `a body that can be sent once is never sent again`() {
    let body = HTTPBody(isReplayable: false) { AsyncStream<Data> { $0.finish() } }
    #expect(decide(.put, .success(.status(503)), body: body) == nil)
    #expect(decide(.put, .success(.status(503)), body: HTTPBody(Data("x".utf8))) != nil)
  }

  @Test(
    arguments: [
      ("3", .seconds(3)), ("60", .seconds(60)), ("61", nil), ("Thu, 01 Jan 2026 00:00:05 GMT", .seconds(5)),
      ("nonsense", .seconds(1)), ("0", .zero),
    ] as [(String, Duration?)])
  func `the server's wait counts, up to the bound`(value: String, wait: Duration?) {
    #expect(decide(.get, .success(.status(503, fields: [.retryAfter: value]))) == wait)
  }

  @Test func `attempts and time end it`() {
    #expect(decide(.get, .success(.status(503)), attempt: 2) != nil)
    #expect(decide(.get, .success(.status(503)), attempt: 3) == nil)
    #expect(decide(.get, .success(.status(503)), remaining: .seconds(1)) == nil)
    #expect(decide(.get, .success(.status(503)), remaining: .seconds(1.1)) != nil)
  }

  @Test func `a caller's verdict repeats a success, and spares a failure, but lets nothing act twice`() {
    #expect(decide(.get, .success(.status(200))) { $0.verdict = { _ in true } } != nil)
    #expect(decide(.post, .success(.status(200))) { $0.verdict = { _ in true } } == nil)
    #expect(decide(.get, .success(.status(503))) { $0.verdict = { _ in false } } == nil)
    let pending: (inout RetryPolicy) -> Void = { policy in
      policy.verdict = { response in response.body.bufferedBytes == Data("pending".utf8) ? true : nil }
    }
    #expect(decide(.get, .success(.text("pending")), pending) != nil)
    #expect(decide(.get, .success(.text("done")), pending) == nil)
  }
}

@Suite struct RetryBudgetTests {
  @Test func `retries are a share of recent calls and a floor, for each host`() {
    let budget = RetryBudget()
    let limit = RetryPolicy.Budget(share: 0.2, floor: 10)
    for _ in 0..<100 { budget.addCall(to: "a", at: .seconds(1)) }
    let allowed = (0..<100).count { _ in budget.takeRetry(to: "a", at: .seconds(2), within: limit) }
    #expect(allowed == 30)
    #expect(budget.takeRetry(to: "b", at: .seconds(2), within: limit))
  }

  @Test func `what is older than ten seconds does not count`() {
    let budget = RetryBudget()
    let limit = RetryPolicy.Budget(share: 0, floor: 1)
    #expect(budget.takeRetry(to: "a", at: .seconds(0), within: limit))
    #expect(!budget.takeRetry(to: "a", at: .seconds(9), within: limit))
    #expect(budget.takeRetry(to: "a", at: .seconds(10), within: limit))
  }

  @Test func `hosts without number do not fill the memory, and are still counted`() {
    let budget = RetryBudget()
    for number in 0..<5_000 { budget.addCall(to: "host-\(number)", at: .seconds(number / 100)) }
    #expect(budget.takeRetry(to: "host-1", at: .seconds(50), within: RetryPolicy.Budget(share: 0, floor: 1)))
  }
}
