import Foundation
import NetCore
import Testing

@testable import BrewTipsCLI

/// The waterfall of `--trace`, as text.
@Suite struct WaterfallTests {
  private static let request = HTTPRequest(url: URL(string: "http://127.0.0.1:8080/tips/today?key=SECRET")!)

  private static func event(_ kind: CallEvent.Kind, at milliseconds: Int, attempt: Int = 1, call: Int = 1) -> CallEvent
  {
    CallEvent(
      kind, call: call, endpointName: "GetTip", attempt: attempt, elapsed: .seconds(60) + .milliseconds(milliseconds))
  }

  private static func response(_ status: HTTPResponse.Status, _ timings: ExchangeInfo.Timings?) -> HTTPResponse {
    HTTPResponse(status: status, info: ExchangeInfo(timings: timings))
  }

  private static func finished(
    after milliseconds: Int, attempts: Int, error: (any Error)? = nil
  ) -> CallEvent.Kind {
    .finished(
      CallOutcome(
        request: request, error: error, duration: .milliseconds(milliseconds), bytesReceived: 48,
        info: ExchangeInfo(attempts: attempts)))
  }

  private static let first = ExchangeInfo.Timings(
    nameLookup: .milliseconds(20), connect: .milliseconds(40), tls: .milliseconds(80), firstByte: .milliseconds(150),
    total: .milliseconds(200), isConnectionReused: false, remoteAddress: "127.0.0.1:8080", protocolName: "HTTP/2")
  private static let second = ExchangeInfo.Timings(
    firstByte: .milliseconds(60), total: .milliseconds(80), bytesReceived: 48)

  private static let story = [
    event(.started(request), at: 0),
    event(.awaitedCredentials(for: .milliseconds(100)), at: 100),
    event(.request(request), at: 100),
    event(.response(response(503, first), to: request, after: .milliseconds(200)), at: 300),
    event(.retry(reason: "503 Service Unavailable", wait: .milliseconds(300)), at: 300),
    event(.request(request), at: 600, attempt: 2),
    event(.response(response(401, nil), to: request, after: .milliseconds(100)), at: 700, attempt: 2),
    event(.renewedCredentials(after: .milliseconds(200)), at: 900, attempt: 2),
    event(.request(request), at: 900, attempt: 3),
    event(.response(response(200, second), to: request, after: .milliseconds(100)), at: 1_000, attempt: 3),
    event(finished(after: 1_000, attempts: 3), at: 1_000, attempt: 3),
  ]

  @Test func `a call with everything reads at 80 columns without colours`() {
    let lines = Waterfall(Self.story).lines()
    let expected = """
      GetTip: GET http://127.0.0.1:8080/tips/today?key=<redacted>
                                               0                                1.00 s
        credentials                  100.0 ms  aaaa
      1 503 Service Unavailable      200.0 ms      nct▒▒▒██
          name 20.0 ms, connect 20.0 ms, TLS 40.0 ms, first byte 70.0 ms, body 50.0 ms
          HTTP/2 with 127.0.0.1:8080, new connection, 0 bytes
        wait                         300.0 ms              ~~~~~~~~~~~
          503 Service Unavailable
      2 401 Unauthorized             100.0 ms                         ▓▓▓▓
        new credentials              200.0 ms                             aaaaaaaa
      3 200 OK                       100.0 ms                                     ▒▒█
          first byte 60.0 ms, body 20.0 ms
          HTTP/1.1, connection used before, 48 bytes
      done in 1.00 s, 3 attempts, 48 bytes
      n name  c connect  t TLS  ▒ first byte  █ body  ▓ attempt  ~ wait  a credentials
      """
    #expect(lines.joined(separator: "\n") == expected)
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test func `with colours it is the same text`() {
    let colored = Waterfall(Self.story).lines(isColored: true)
    #expect(colored.contains { $0.contains("\u{1B}[36mn\u{1B}[0m") })
    let plain = colored.map { $0.replacing(/\u{1B}\[[0-9]*m/, with: "") }
    #expect(plain == Waterfall(Self.story).lines())
  }

  @Test func `a failure tells why it was not repeated`() {
    let failure = APIError.transport(.connectionRefused)
    let lines = Waterfall([
      Self.event(.started(Self.request), at: 0),
      Self.event(.request(Self.request), at: 0),
      Self.event(.attemptFailed(failure, of: Self.request, after: .milliseconds(5)), at: 5),
      Self.event(.notRetried(reason: "the body can be sent only once"), at: 5),
      Self.event(Self.finished(after: 5, attempts: 1, error: failure), at: 5),
    ]).lines()
    #expect(lines[2].hasPrefix("1 The connection was refused     5.0 ms  ▓▓▓▓▓▓▓▓▓"))
    #expect(lines[3...4] == ["  not retried", "    the body can be sent only once"])
    #expect(lines[5] == "failed after 5.0 ms: The connection was refused")
  }

  @Test func `queues stand before their attempt, and redirects and circuits are told`() throws {
    let url = try #require(URL(string: "http://127.0.0.1:8080/other?key=SECRET"))
    let lines = Waterfall([
      Self.event(.started(Self.request), at: 0),
      Self.event(.queued(for: .milliseconds(50)), at: 50),
      Self.event(.request(Self.request), at: 50),
      Self.event(.response(Self.response(503, nil), to: Self.request, after: .milliseconds(50)), at: 100),
      Self.event(.circuit(.open, origin: "http://127.0.0.1:8080"), at: 100),
      Self.event(.redirected(Redirect(status: 302, from: url, to: url)), at: 100),
      Self.event(Self.finished(after: 100, attempts: 1), at: 100),
    ]).lines()
    #expect(lines[2] == "1 503 Service Unavailable      100.0 ms  ····················▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓")
    #expect(lines[3...4] == ["  circuit open", "    http://127.0.0.1:8080"])
    #expect(lines[5...6] == ["  redirect", "    http://127.0.0.1:8080/other?key=<redacted>"])
  }

  @Test func `a call that ended in the queue shows that`() {
    let lines = Waterfall([
      Self.event(.started(Self.request), at: 0),
      Self.event(.queued(for: .milliseconds(80)), at: 80),
      Self.event(Self.finished(after: 80, attempts: 0, error: CancellationError()), at: 80),
    ]).lines()
    #expect(lines[2].hasPrefix("  queue                         80.0 ms  ·······"))
    #expect(lines[3] == "failed after 80.0 ms: cancelled")
  }

  @Test func `a call that a cache answered has no bars, no scale and no legend`() {
    let lines = Waterfall([
      Self.event(.started(Self.request), at: 0),
      Self.event(.cache(.hit(age: .seconds(3))), at: 1),
      Self.event(Self.finished(after: 1, attempts: 0), at: 1),
    ]).lines()
    #expect(
      lines == [
        "GetTip: GET http://127.0.0.1:8080/tips/today?key=<redacted>", "  cache", "    hit, 3.00 s old",
        "done in 1.0 ms, 0 attempts, 48 bytes",
      ])
  }

  @Test func `each call has its own, and nothing takes no time`() {
    let events = [1, 2].flatMap { call in
      [
        Self.event(.started(Self.request), at: 0, call: call),
        Self.event(.coalesced, at: 0, call: call),
        Self.event(Self.finished(after: 0, attempts: 1), at: 0, call: call),
      ]
    }
    let lines = Waterfall(events).lines(width: 10)
    #expect(lines.count == 9)
    #expect(lines[2].contains("an equal call's exchange"))
    #expect(lines[2].hasSuffix("="))
    #expect(Waterfall([]).lines() == ["no calls were made"])
  }

  @Test func `a server's words do not control the terminal`() throws {
    let url = try #require(URL(string: "http://h/%1B%5B2J"))
    let lines = Waterfall([
      Self.event(.started(HTTPRequest(url: url)), at: 0),
      Self.event(.retry(reason: "\u{1B}[2J\n\u{202E}again", wait: .zero), at: 0),
    ]).lines()
    #expect(lines.allSatisfy { $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } })
  }

  @Test(arguments: [
    (10, [1, 1, 1], [4, 3, 3]), (3, [1, 100, 1], [1, 1, 1]), (12, [0, 0], [6, 6]), (20, [1, 98, 1], [1, 18, 1]),
    (1, [5], [1]), (7, [5], [7]),
  ])
  func `columns are shared by duration, none gets none`(columns: Int, durations: [Int], shares: [Int]) {
    let found = Drawing.share(columns, durations.map { .milliseconds($0) })
    #expect(found.reduce(0, +) == columns)
    #expect(found.sorted() == shares.sorted())
  }
}
