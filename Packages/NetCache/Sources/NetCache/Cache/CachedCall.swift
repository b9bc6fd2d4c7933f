import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One call that a cache takes part in. A class, so that its parts are not copied from function to function.
final class CachedCall: Sendable {
  let cache: HTTPCache
  let client: ClientServices
  let request: HTTPRequest
  let facts: RequestFacts
  let key: CacheKey
  let context: RequestContext
  let next: any HTTPTransport

  init(
    cache: HTTPCache, client: ClientServices, request: HTTPRequest, facts: RequestFacts, key: CacheKey,
    context: RequestContext, next: any HTTPTransport
  ) {
    self.cache = cache
    self.client = client
    self.request = request
    self.facts = facts
    self.key = key
    self.context = context
    self.next = next
  }

  var policy: CachePolicy { cache.policy }
  var now: Date { client.timeSource.now }

  /// Whether the caller reads a body as it arrives, and takes a 304 for an answer to a condition of its own. Who waits for a
  /// value takes none.
  var mayBeNotModified: Bool { context.delivery == .streaming }

  func run() async throws -> HTTPResponse {
    // Asked for by key even when it will not be used: a reload replaces it, and an error may be answered with it.
    let stored = await cache.attempt { try await cache.store.responses(for: key) } ?? []
    let matching =
      stored.count == 1 && stored[0].head.facts.vary?.isEmpty == true ? stored : stored.filter { $0.head.matches(request) }
    switch policy.decision(for: facts, stored: matching, at: now) {
    case .use(let response, let outcome, let refresh):
      if refresh { self.refresh(response) }
      if let answer = try await answer(with: response, outcome) { return answer }
      // It was removed between two looks, or the server has to cut a part of it.
      return facts.isOnlyIfCached ? unavailable() : try await ask(about: nil, among: [])
    case .ask(let response):
      return try await ask(about: response, among: matching)
    case .unavailable:
      return unavailable()
    }
  }

  /// 504: the network must not be asked (RFC 9111, section 5.2.1.7).
  private func unavailable() -> HTTPResponse {
    finish(HTTPResponse(status: .gatewayTimeout, info: ExchangeInfo(attempts: 0)), .miss)
  }

  /// The response with what the cache did, which the observers are told.
  func finish(_ response: HTTPResponse, _ outcome: CacheOutcome) -> HTTPResponse {
    var response = response
    response.info.cache = outcome
    context.report(.cache(outcome))
    return response
  }
}

extension CachedCall {
  /// The answer made of a stored response that nobody confirmed; `nil` when its body is gone, or cannot be cut.
  ///
  /// - Parameter info: What is known about an exchange that failed. Default: there was none.
  func answer(
    with stored: StoredResponse, _ outcome: CacheOutcome, _ info: ExchangeInfo = ExchangeInfo(attempts: 0)
  ) async throws -> HTTPResponse? {
    let age: Duration =
      switch outcome {
      case .hit(let age), .staleHit(let age, _): age
      default: .zero
      }
    var fields = stored.head.fields
    let value = "\(age.components.seconds)"
    if stored.head.facts.hasAge { fields[.age] = value } else { fields.append(.age, value) }
    for name in stored.head.facts.control.noCacheFields { fields.remove(name) }
    return try await answer(with: stored, fields: fields, info: info).map { finish($0, outcome) }
  }

  /// The answer made of a stored response: whole, a part of it, or 304.
  private func answer(
    with stored: StoredResponse, fields: HTTPFields, info: ExchangeInfo
  ) async throws -> HTTPResponse? {
    var response = HTTPResponse(status: stored.head.status, fields: fields, info: info)
    switch StoredAnswer(stored.head, length: stored.length, to: facts, mayBeNotModified: mayBeNotModified) {
    case .whole:
      guard let body = await body(of: stored) else { return nil }
      response.body = body
    case .notModified:
      response.status = .notModified
      response.fields.remove(.contentLength)
    case .part(let range):
      guard let body = await body(of: stored) else { return nil }
      response.status = .partialContent
      response.fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(stored.length)"
      response.fields[.contentLength] = "\(range.count)"
      response.body = body.cut(to: range)
    case .none:
      return nil
    }
    guard case .collected(let limit) = context.delivery, response.body.bufferedBytes == nil else { return response }
    return try await collect(response, upTo: limit)
  }

  /// The response with its body in memory; `nil` when the store cannot read it.
  private func collect(_ response: HTTPResponse, upTo limit: Int) async throws -> HTTPResponse? {
    do {
      return try await response.collectingBody(upTo: limit)
    } catch let error as APIError where error.kind == .tooLarge {
      throw error
    } catch {
      try Task.checkCancellation()
      return await cache.attempt { throw error }
    }
  }

  private func body(of stored: StoredResponse) async -> HTTPResponse.Body? {
    if facts.method == .head { return HTTPResponse.Body.empty }
    if let bytes = stored.body { return HTTPResponse.Body(bytes) }
    return await cache.attempt { try await cache.store.body(of: stored) } ?? nil
  }

  /// The answer made of a stored response that the server has confirmed just now.
  func answer(with stored: StoredResponse, confirmedBy confirmation: HTTPResponse) async throws -> HTTPResponse? {
    var fields = stored.head.fields
    // A cookie is set once, by the response that brought it; it is not stored.
    for cookie in confirmation.fields[values: .setCookie] { fields.append(.setCookie, cookie) }
    return try await answer(with: stored, fields: fields, info: confirmation.info).map { finish($0, .revalidated) }
  }
}
