#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What two calls must have in common to share an exchange: method, URL, limit, cache mode, credential scope, and all
/// fields but those that only name the sender or the call.
struct FlightKey: Hashable {
  private let method: HTTPRequest.Method
  private let url: String
  private let fields: HTTPFields
  private let delivery: RequestContext.Delivery
  private let cacheMode: CacheMode
  private let scope: CredentialScope?
  /// Made once, before the key is looked up where others wait.
  private let hash: Int

  /// `nil` for a call that shares nothing: another method, a body, a streaming answer, a policy of its own for retries
  /// or redirects, or one that was told not to.
  init?(_ request: HTTPRequest, _ context: RequestContext) {
    guard request.method == .get || request.method == .head, request.body.isEmpty, context.mayShareFlight,
      context.retryPolicy == nil, context.redirectPolicy == nil, case .collected = context.delivery
    else { return nil }
    method = request.method
    url = request.url.absoluteString
    fields =
      request.fields.contains { Self.names.contains($0.name) }
      ? HTTPFields(request.fields.filter { !Self.names.contains($0.name) }) : request.fields
    delivery = context.delivery
    cacheMode = context.cacheMode
    scope = context.credentialScope
    var hasher = Hasher()
    hasher.combine(method)
    hasher.combine(url)
    hasher.combine(scope)
    hash = hasher.finalize()
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(hash)
  }

  /// Fields that do not change an answer.
  private static let names: Set<HTTPField.Name> = [.userAgent, "traceparent", "tracestate", "X-Request-ID"]
}
