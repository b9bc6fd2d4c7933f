import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A cache in the pipeline of a client: does what ``CachePolicy`` decides.
struct CacheStage: HTTPMiddleware {
  let cache: HTTPCache
  let client: ClientServices

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    let facts = RequestFacts(request, mode: context.cacheMode)
    if let reason = cache.policy.bypass(facts) {
      // Nothing is stored for it, and the network is not to be asked (RFC 9111, section 5.2.1.7).
      guard !facts.isOnlyIfCached else { return context.unavailable(.bypass(reason)) }
      return try await pass(request, context: context, next: next, outcome: .bypass(reason))
    }
    let key = CacheKey(for: request, authorization: facts.authorization, scope: context.credentialScope)
    let call = CachedCall(
      cache: cache, client: client, request: request, facts: facts, key: key, context: context, next: next)
    return try await call.run()
  }

  /// Sends a request of which nothing is stored. What it changed is stored no longer (RFC 9111, section 4.4).
  private func pass(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport, outcome: CacheOutcome
  ) async throws -> HTTPResponse {
    var response: HTTPResponse
    do {
      response = try await next.send(request, context: context)
    } catch {
      // Whether it was a success nobody knows: its body broke off, was too long, or never came.
      if cache.policy.mayInvalidate(error, to: request.method) { await remove([request.url]) }
      throw error
    }
    response.info.cache = outcome
    context.report(.cache(outcome))
    if cache.policy.invalidates(response, to: request.method) { await remove(response.changedURLs(by: request)) }
    return response
  }

  private func remove(_ urls: [URL]) async {
    for url in urls { _ = await cache.attempt { try await cache.clear(url: url) } }
  }
}

extension RequestContext {
  /// The answer to a request that only a stored response may answer when there is none (RFC 9111, section 5.2.1.7).
  func unavailable(_ outcome: CacheOutcome) -> HTTPResponse {
    var response = HTTPResponse(status: .gatewayTimeout, info: ExchangeInfo(attempts: 0))
    response.info.cache = outcome
    report(.cache(outcome))
    return response
  }
}

extension HTTPResponse {
  /// The URLs whose responses may have changed: the request's own, and those of the same origin that the response names.
  fileprivate func changedURLs(by request: HTTPRequest) -> [URL] {
    let named = [HTTPField.Name.location, .contentLocation].compactMap { name in
      fields[name].flatMap { URL(string: $0, relativeTo: request.url)?.absoluteURL }
    }
    return [request.url] + named.filter { $0.hasSameOrigin(as: request.url) }
  }
}

extension URL {
  /// Whether scheme, host and port are the same (RFC 6454, section 5).
  func hasSameOrigin(as other: URL) -> Bool {
    scheme?.lowercased() == other.scheme?.lowercased() && host()?.lowercased() == other.host()?.lowercased()
      && effectivePort == other.effectivePort
  }

  private var effectivePort: Int? {
    port ?? (scheme?.lowercased() == "https" ? 443 : scheme?.lowercased() == "http" ? 80 : nil)
  }
}

extension CacheStage: CustomStringConvertible {
  /// `cache: MemoryCacheStore`
  var description: String { "cache: \(type(of: cache.store))" }
}
