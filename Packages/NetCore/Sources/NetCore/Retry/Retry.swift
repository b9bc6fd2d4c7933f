#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends a request again when its attempt failed and the policy says so.
struct Retry: HTTPMiddleware {
  let policy: RetryPolicy
  let timeSource: TimeSource
  private let budget = RetryBudget()

  init(policy: RetryPolicy, timeSource: TimeSource) {
    self.policy = policy
    self.timeSource = timeSource
  }

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    let policy = context.retryPolicy ?? policy
    return policy.maximumAttempts > 1
      ? try await repeating(request, as: policy, context: context, next: next)
      : try await next.send(request, context: context)
  }

  private func repeating(
    _ request: HTTPRequest, as policy: RetryPolicy, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    let host = request.url.host() ?? ""
    let started = timeSource.elapsed
    // After a redirect the attempts before it count no more.
    let earlierAttempts = context.attempt - 1
    var context = context
    var failures: [FailedAttempt] = []
    var mayHaveReachedServer = false
    budget.addCall(to: host, at: started)
    while true {
      let begin = timeSource.elapsed
      let outcome = await attempt(request, context: context, next: next)
      let now = timeSource.elapsed
      // A stage below may have sent the request again itself.
      context.attempt = max(context.attempt, outcome.attempts)
      let situation = RetryPolicy.Situation(
        request: request, outcome: outcome, attempt: context.attempt - earlierAttempts,
        previousWait: failures.last?.wait ?? .zero, remaining: context.deadline.map { $0 - now }, now: timeSource.now)
      guard !Task.isCancelled, let (wait, reason) = policy.decision(in: situation),
        budget.takeRetry(to: host, at: now, within: policy.budget)
      else {
        let refusal = Task.isCancelled ? nil : policy.refusal(in: situation)
        if let refusal { context.report(.notRetried(reason: refusal)) }
        return try outcome.adding(failures, whyNotRetried: refusal, mayHaveReachedServer: mayHaveReachedServer)
      }
      failures.append(FailedAttempt(outcome, number: context.attempt, at: begin - started, wait: wait))
      mayHaveReachedServer = mayHaveReachedServer || outcome.mayHaveReachedServer
      if case .success(let response) = outcome { response.body.discard() }
      context.report(.retry(reason: reason, wait: wait))
      try await timeSource.sleep(until: now + wait)
      context.attempt += 1
    }
  }

  private func attempt(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async -> Result<HTTPResponse, any Error> {
    do {
      return .success(try await next.send(request, context: context))
    } catch {
      return .failure(error)
    }
  }
}

extension Retry: CustomStringConvertible {
  var description: String { "retry: \(policy)" }
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

extension Result<HTTPResponse, any Error> {
  fileprivate var attempts: Int {
    switch self {
    case .success(let response): response.info.attempts
    case .failure(let error): (error as? APIError)?.attempts ?? 0
    }
  }

  fileprivate var mayHaveReachedServer: Bool {
    if case .failure(let error as APIError) = self { error.mayHaveReachedServer } else { true }
  }

  /// The response or error, which knows the attempts before it, whether one of them may have reached the server, and why
  /// there is no other.
  fileprivate func adding(
    _ failures: [FailedAttempt], whyNotRetried: String?, mayHaveReachedServer: Bool
  ) throws -> HTTPResponse {
    switch self {
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
