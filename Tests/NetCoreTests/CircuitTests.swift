import NetTesting
import Testing

@testable import NetCore

/// A step of a story: at which second what is done, and what the state is then.
private struct Step: Sendable {
  enum Action: Sendable {
    /// An exchange begins, and ends at once.
    case call(CircuitBreaker.Verdict)
    /// So many of them.
    case calls(Int, CircuitBreaker.Verdict)
    /// An exchange begins; it is known by a letter.
    case begin(Character)
    case end(Character, CircuitBreaker.Verdict)
    /// An exchange is rejected, with so many seconds to wait.
    case rejected(Double)
  }

  var second: Double
  var action: Action
  var state: CircuitBreaker.State
}

private struct Story: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var steps: [Step]
  var probes = 1

  init(_ title: String, probes: Int = 1, _ steps: [(Double, Step.Action, CircuitBreaker.State)]) {
    testDescription = title
    self.probes = probes
    self.steps = steps.map { Step(second: $0.0, action: $0.1, state: $0.2) }
  }

  static let all = [
    Story(
      "it opens at the share of failures",
      [
        (0, .calls(2, .success), .closed), (1, .call(.failure), .closed), (1, .call(.failure), .open),
        (1, .rejected(10), .open), (5, .rejected(6), .open), (10.5, .rejected(0.5), .open),
      ]),
    Story(
      "it does not judge by fewer calls than the minimum",
      [
        (0, .calls(3, .failure), .closed), (20, .calls(3, .failure), .closed), (21, .call(.failure), .open),
      ]),
    Story(
      "what is older than the window does not count",
      [
        (0, .calls(3, .failure), .closed), (10, .call(.failure), .closed), (10, .calls(2, .failure), .closed),
        (10.5, .call(.failure), .open),
      ]),
    Story(
      "a share below is borne",
      [
        (0, .calls(60, .success), .closed), (1, .calls(59, .failure), .closed), (2, .call(.failure), .open),
      ]),
    Story(
      "what tells nothing is not counted",
      [
        (0, .calls(50, .nothing), .closed), (0, .calls(3, .failure), .closed), (0, .calls(50, .nothing), .closed),
        (0, .call(.failure), .open),
      ]),
    Story(
      "a probe that succeeds closes it, and the past is forgotten",
      [
        (0, .calls(4, .failure), .open), (10, .call(.success), .closed), (10, .calls(3, .failure), .closed),
        (10, .call(.failure), .open),
      ]),
    Story(
      "a probe that fails opens it for as long again",
      [
        (0, .calls(4, .failure), .open), (10, .call(.failure), .open), (15, .rejected(5), .open),
        (20, .call(.success), .closed),
      ]),
    Story(
      "there is one probe at a time",
      [
        (0, .calls(4, .failure), .open), (10, .begin("a"), .halfOpen), (11, .rejected(0), .halfOpen),
        (12, .end("a", .success), .closed), (12, .call(.success), .closed),
      ]),
    Story(
      "a probe that was cancelled leaves its place to another",
      [
        (0, .calls(4, .failure), .open), (10, .begin("a"), .halfOpen), (11, .end("a", .nothing), .halfOpen),
        (12, .begin("b"), .halfOpen), (12, .rejected(0), .halfOpen), (13, .end("b", .nothing), .halfOpen),
        (99, .call(.success), .closed),
      ]),
    Story(
      "three probes, which must all succeed", probes: 3,
      [
        (0, .calls(4, .failure), .open), (10, .begin("a"), .halfOpen), (10, .begin("b"), .halfOpen),
        (10, .begin("c"), .halfOpen), (10, .rejected(0), .halfOpen), (11, .end("a", .success), .halfOpen),
        (11, .rejected(0), .halfOpen), (11, .end("b", .nothing), .halfOpen), (12, .call(.success), .halfOpen),
        (13, .end("c", .success), .closed),
      ]),
    Story(
      "one of three fails, and what the others bring tells nothing", probes: 3,
      [
        (0, .calls(4, .failure), .open), (10, .begin("a"), .halfOpen), (10, .begin("b"), .halfOpen),
        (11, .end("a", .failure), .open), (12, .end("b", .success), .open), (20, .rejected(1), .open),
        (21, .begin("c"), .halfOpen), (21, .end("c", .failure), .open),
      ]),
    Story(
      "an exchange from before tells nothing about now",
      [
        (0, .begin("x"), .closed), (0, .begin("y"), .closed), (0, .begin("z"), .closed),
        (0, .calls(4, .failure), .open),
        (1, .end("x", .success), .open), (10, .begin("p"), .halfOpen), (10, .end("y", .success), .halfOpen),
        (10, .end("z", .failure), .halfOpen), (11, .end("p", .success), .closed),
      ]),
    Story(
      "an open circuit that nobody asks stays open until somebody does",
      [
        (0, .calls(4, .failure), .open), (5_000, .begin("a"), .halfOpen), (5_000, .end("a", .success), .closed),
      ]),
  ]
}

@Suite struct CircuitTests {
  @Test(arguments: Story.all)
  fileprivate func `the circuit goes by the table`(story: Story) throws {
    var settings = CircuitBreaker()
    settings.minimumCalls = 4
    settings.window = .seconds(10)
    settings.openTime = .seconds(10)
    settings.probes = story.probes
    var circuit = Circuit(settings)
    var tickets: [Character: Circuit.Ticket] = [:]
    for (number, step) in story.steps.enumerated() {
      let now = Duration.seconds(step.second)
      switch step.action {
      case .call(let verdict):
        circuit.leave(try circuit.enter(at: now), verdict, at: now)
      case .calls(let count, let verdict):
        for _ in 0..<count { circuit.leave(try circuit.enter(at: now), verdict, at: now) }
      case .begin(let name):
        tickets[name] = try circuit.enter(at: now)
      case .end(let name, let verdict):
        circuit.leave(tickets.removeValue(forKey: name)!, verdict, at: now)
      case .rejected(let wait):
        #expect(circuit.rejection(at: now) == Circuit.Rejection(wait: .seconds(wait)))
      }
      #expect(circuit.state == step.state, "step \(number)")
    }
  }

  @Test func `odd settings are borne`() throws {
    var settings = CircuitBreaker()
    settings.failureShare = -1
    settings.window = .seconds(-1)
    settings.minimumCalls = -1
    settings.openTime = .seconds(-1)
    settings.probes = -1
    var circuit = Circuit(settings)
    circuit.leave(try circuit.enter(at: .zero), .failure, at: .zero)
    #expect(circuit.state == .open)
    circuit.leave(try circuit.enter(at: .zero), .success, at: .zero)
    #expect(circuit.state == .closed)
  }

  @Test(
    arguments: [
      (200, .success), (302, .success), (401, .success), (404, .success), (429, .success), (500, .failure),
      (503, .failure), (599, .failure),
    ] as [(HTTPResponse.Status, CircuitBreaker.Verdict)])
  func `a status tells`(status: HTTPResponse.Status, verdict: CircuitBreaker.Verdict) {
    #expect(CircuitBreaker().verdict(on: .success(.status(status))) == verdict)
  }

  @Test(
    arguments: [
      (APIError.transport(.connectionRefused), .failure), (.transport(.connectionLost), .failure),
      (.transport(.nameResolution), .failure), (.transport(.tls(.handshake)), .failure),
      (.transport(.truncated), .failure), (.transport(.malformed), .failure), (.notHTTP, .failure),
      (.timedOut(.connect), .failure), (.timedOut(.attempt), .failure), (.timedOut(.total), .failure),
      (.transport(.offline), .nothing), (.invalidRequest, .nothing), (.invalidURL, .nothing),
      (APIError(.unsupported, reason: ""), .nothing), (.rejected(.queueFull), .nothing), (.tooLarge, .success),
    ] as [(APIError, CircuitBreaker.Verdict)])
  func `an error tells`(error: APIError, verdict: CircuitBreaker.Verdict) {
    #expect(CircuitBreaker().verdict(on: .failure(error)) == verdict)
  }

  @Test func `cancellation and a caller's own error tell nothing, and a caller may judge a response`() {
    struct Own: Error {}
    var breaker = CircuitBreaker()
    #expect(breaker.verdict(on: .failure(CancellationError())) == .nothing)
    #expect(breaker.verdict(on: .failure(Own())) == .nothing)
    breaker.isFailure = { $0.status == 404 }
    #expect(breaker.verdict(on: .success(.status(404))) == .failure)
    #expect(breaker.verdict(on: .success(.status(500))) == .success)
  }
}
