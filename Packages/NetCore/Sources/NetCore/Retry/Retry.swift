#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends a request again when its attempt failed and the policy says so.
struct Retry: HTTPMiddleware, Interruptible {
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
    guard policy.maximumAttempts > 1 else { return try await next.send(request, context: context) }
    let began = timeSource.elapsed
    let host = request.url.host() ?? ""
    budget.addCall(to: host, at: began)
    let outcome = await attempt(request, context: context, next: next)
    guard !policy.accepts(outcome) else { return try outcome.get() }
    let course = RetryCourse(of: request, to: host, as: policy, in: context, at: began)
    return try await result(of: course, after: outcome, context: context, next: next)
  }

  /// What comes of a request whose first attempt ended with an `outcome` that may be repeated.
  private func result(
    of course: RetryCourse, after outcome: Result<HTTPResponse, any Error>, context: RequestContext,
    next: any HTTPTransport
  ) async throws -> HTTPResponse {
    var (course, outcome, context) = (course, outcome, context)
    while true {
      // A stage below may have sent the request again itself.
      context.attempt = max(context.attempt, outcome.attempts)
      guard let end = course.endOfWait(after: outcome, in: context, within: budget, timeSource) else {
        return try course.result(outcome)
      }
      if case .success(let response) = outcome { response.body.discard() }
      try await context.interruptible { [timeSource] in try await timeSource.sleep(until: end) }
      context.attempt += 1
      course.nextAttempt(at: timeSource.elapsed)
      outcome = await attempt(course.request, context: context, next: next)
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
