#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RetryPolicy {
  /// An attempt that has ended, and what it means for another.
  struct Situation {
    var request: HTTPRequest
    var outcome: Result<HTTPResponse, any Error>
    /// Which attempt it was, from 1.
    var attempt: Int
    /// The wait before it.
    var previousWait = Duration.zero
    /// How much time the call has left; `nil` for no limit.
    var remaining: Duration?
    /// The wall clock's time.
    var now: Date
  }

  /// Whether `outcome` is a response that the policy never repeats.
  func accepts(_ outcome: Result<HTTPResponse, any Error>) -> Bool {
    if case .success(let response) = outcome { !isFailure(response) } else { false }
  }

  /// Whether to send again, after how long and why; `nil` when not.
  func decision(in situation: Situation) -> (wait: Duration, reason: String)? {
    guard situation.attempt < maximumAttempts, situation.request.body.isReplayable,
      let reason = reasonToRepeat(situation), let wait = wait(in: situation),
      situation.remaining.map({ wait < $0 }) ?? true
    else { return nil }
    return (wait, reason)
  }

  /// Why a failure that the policy repeats is not repeated this time; `nil` for an outcome it never repeats, and for a
  /// response with a status below 400.
  func refusal(in situation: Situation) -> String? {
    if case .success(let response) = situation.outcome, response.status.code < 400 { return nil }
    // What would be said of a request that may be repeated.
    var harmless = situation
    harmless.request.method = .get
    guard reasonToRepeat(harmless) != nil else { return nil }
    if !situation.request.body.isReplayable { return "the body can be sent only once" }
    if reasonToRepeat(situation) == nil {
      return "a \(situation.request.method) without an Idempotency-Key may act twice"
    }
    if situation.attempt >= maximumAttempts { return "it was attempt \(situation.attempt) of \(maximumAttempts)" }
    guard let wait = wait(in: situation) else {
      return "the server asks for a longer wait than \(maximumRetryAfter.inUnits)"
    }
    if let remaining = situation.remaining, wait >= remaining {
      return "the call's time limit ends before the wait of \(wait.readable)"
    }
    return "the retry budget of the host is used up"
  }

  private func reasonToRepeat(_ situation: Situation) -> String? {
    switch situation.outcome {
    case .success(let response):
      guard isFailure(response) else { return nil }
      let wasNotActedOn = response.status == .tooEarly || response.status == .misdirectedRequest
      return situation.request.mayBeRepeated || wasNotActedOn ? "\(response.status)" : nil
    case .failure(let error as APIError):
      guard error.kind.mayPass, error.mayBeRepeated else { return nil }
      return situation.request.mayBeRepeated || !error.mayHaveReachedServer ? error.kind.name : nil
    case .failure:
      return nil
    }
  }

  private func isFailure(_ response: HTTPResponse) -> Bool {
    verdict(response) ?? statuses.contains(response.status)
  }

  private func wait(in situation: Situation) -> Duration? {
    if case .success(let response) = situation.outcome, let value = response.fields[.retryAfter],
      let asked = RetryAfter.wait(value, now: situation.now)
    {
      return asked <= maximumRetryAfter ? asked : nil
    }
    let pause = backoff.wait(afterAttempt: situation.attempt, previous: situation.previousWait, chance: chance())
    guard case .failure(let error as APIError) = situation.outcome, let closed = error.retryAfter else { return pause }
    // Not all at once when the circuit is half open: the first is a probe.
    return closed + pause
  }
}

extension HTTPRequest {
  /// Whether sending the request twice does the same as once.
  var mayBeRepeated: Bool {
    method.isIdempotent || fields[.idempotencyKey]?.isEmpty == false
  }
}

extension APIError.Kind {
  /// Whether the failure may be gone at the next attempt.
  fileprivate var mayPass: Bool {
    switch self {
    case .transport(let failure): failure.mayPass
    case .rejected(let rejection): rejection == .circuitOpen
    default: false
    }
  }
}

extension TransportFailure {
  /// Whether the failure may be gone at the next attempt.
  fileprivate var mayPass: Bool {
    switch self {
    case .nameResolution, .connectionRefused, .unreachable, .connectionLost, .truncated, .proxy, .other: true
    case .timedOut(let phase): phase != .total
    case .tls(let problem): problem == .handshake
    case .offline, .malformed: false
    }
  }
}
