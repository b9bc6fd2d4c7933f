#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request on its way through its attempts. Its functions wait for nothing.
struct RetryCourse {
  let request: HTTPRequest
  private let host: String
  private let policy: RetryPolicy
  /// When the first attempt began.
  private let began: Duration
  /// After a redirect the attempts before it count no more.
  private let earlierAttempts: Int
  private var attemptBegan: Duration
  /// The attempts that failed and were repeated.
  private var failures: [FailedAttempt] = []
  private var mayHaveReachedServer = false
  private var whyNotRetried: String?

  init(
    of request: HTTPRequest, to host: String, as policy: RetryPolicy, in context: RequestContext, at moment: Duration
  ) {
    self.request = request
    self.host = host
    self.policy = policy
    began = moment
    attemptBegan = moment
    earlierAttempts = context.attempt - 1
  }

  /// Another attempt begins.
  mutating func nextAttempt(at moment: Duration) {
    attemptBegan = moment
  }

  /// When to send again after an attempt that ended with `outcome`; `nil` when not at all.
  mutating func endOfWait(
    after outcome: Result<HTTPResponse, any Error>, in context: RequestContext, within budget: RetryBudget,
    _ timeSource: TimeSource
  ) -> Duration? {
    guard !context.isEnding else { return nil }
    let now = timeSource.elapsed
    let situation = RetryPolicy.Situation(
      request: request, outcome: outcome, attempt: context.attempt - earlierAttempts,
      previousWait: failures.last?.wait ?? .zero, remaining: context.deadline.map { $0 - now }, now: timeSource.now)
    guard let (wait, reason) = policy.decision(in: situation),
      budget.takeRetry(to: host, at: now, within: policy.budget)
    else {
      whyNotRetried = policy.refusal(in: situation)
      if let whyNotRetried { context.report(.notRetried(reason: whyNotRetried)) }
      return nil
    }
    failures.append(FailedAttempt(outcome, number: context.attempt, at: attemptBegan - began, wait: wait))
    mayHaveReachedServer = mayHaveReachedServer || outcome.mayHaveReachedServer
    context.report(.retry(reason: reason, wait: wait))
    return now + wait
  }

  /// The response or error, which knows the attempts before it, whether one of them may have reached the server, and why
  /// there is no other.
  func result(_ outcome: Result<HTTPResponse, any Error>) throws -> HTTPResponse {
    switch outcome {
    case .success(var response):
      response.info.failures = failures
      response.info.whyNotRetried = whyNotRetried
      return response
    case .failure(var error as APIError):
      error.failures = failures
      error.whyNotRetried = whyNotRetried
      error.mayHaveReachedServer = error.mayHaveReachedServer || mayHaveReachedServer
      throw error
    case .failure(let error):
      throw error
    }
  }
}

extension Result<HTTPResponse, any Error> {
  /// Which attempt of the call it ended; 0 when nobody counted.
  var attempts: Int {
    switch self {
    case .success(let response): response.info.attempts
    case .failure(let error): (error as? APIError)?.attempts ?? 0
    }
  }

  fileprivate var mayHaveReachedServer: Bool {
    if case .failure(let error as APIError) = self { error.mayHaveReachedServer } else { true }
  }
}

extension FailedAttempt {
  fileprivate init(_ outcome: Result<HTTPResponse, any Error>, number: Int, at: Duration, wait: Duration) {
    let failure: Failure =
      switch outcome {
      case .success(let response): .status(response.status)
      case .failure(let error): .error((error as? APIError)?.kind ?? .transport(.other))
      }
    self.init(number: number, began: at, failure: failure, wait: wait)
  }
}
