#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Follows redirects: each is a new request through all stages below.
struct Redirection: HTTPMiddleware, Interruptible {
  let policy: RedirectPolicy
  let authenticator: (any Authenticator)?
  let timeSource: TimeSource

  var isInterruptible: Bool { authenticator.map { $0 is any InterruptibleAuthenticator } ?? true }

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    let began = timeSource.elapsed
    let response = try await next.send(request, context: context)
    return response.status.isRedirect
      ? try await answer(after: response, to: request, began: began, context: context, next: next) : response
  }

  /// The response at the end of the chain that begins with `request` and its `response`.
  private func answer(
    after response: HTTPResponse, to request: HTTPRequest, began: Duration, context: RequestContext,
    next: any HTTPTransport
  ) async throws -> HTTPResponse {
    var (response, context, chain) = (response, context, RedirectChain(request))
    do {
      while let request = try nextRequest(after: response, in: chain, context) {
        response.body.discard()
        let redirect = chain.follow(response, to: request, after: timeSource.elapsed - began)
        context.report(.redirected(redirect))
        context.attempt = chain.attempts + 1
        context.credentialScope = try await scope(for: chain.request, after: redirect, in: context)
        response = try await next.send(chain.request, context: context)
      }
      return chain.completing(response)
    } catch var error as APIError {
      chain.complete(&error)
      throw error
    }
  }

  /// What the policy and the caller's review make of `response`. When they throw, the response is done with.
  private func nextRequest(
    after response: HTTPResponse, in chain: RedirectChain, _ context: RequestContext
  ) throws -> HTTPRequest? {
    let policy = context.redirectPolicy ?? policy
    do {
      guard let request = try policy.nextRequest(after: response, in: chain) else { return nil }
      return try policy.reviewed(request, from: chain.url, by: response.status)
    } catch {
      response.body.discard()
      guard var error = error as? APIError else { throw error }
      error.attempts = response.info.attempts
      error.failures = response.info.failures
      error.response = error.response ?? APIError.FailedResponse(response)
      throw error
    }
  }

  /// Whose credentials `request` carries: those of all before it, where they are declared too. After one that went without,
  /// or after https in the clear, nobody's: that server must not choose what is asked for with credentials.
  private func scope(
    for request: HTTPRequest, after redirect: Redirect, in context: RequestContext
  ) async throws -> CredentialScope? {
    guard let authenticator, let scope = context.credentialScope else { return context.credentialScope }
    guard !redirect.isDowngrade else { return nil }
    return try await authenticator.scope(for: request, in: context) == scope ? scope : nil
  }
}

extension APIError.FailedResponse {
  fileprivate init(_ response: HTTPResponse) {
    let body = response.body.bufferedBytes ?? Data()
    self.init(CollectedResponse(status: response.status, fields: response.fields, body: body), message: nil)
  }
}

extension Redirection: CustomStringConvertible {
  var description: String {
    let downgrade = policy.allowsDowngrade ? ", also from https to http" : ""
    return policy.maximumCount > 0 ? "redirects: up to \(policy.maximumCount)\(downgrade)" : "redirects: not followed"
  }
}
