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
    let matching = await lookUp()
    switch policy.decision(for: facts, stored: matching, at: now) {
    case .use(let response, let outcome, let refresh):
      if refresh { self.refresh(response) }
      if let answer = try await answer(with: response, outcome) { return answer }
      // It was removed between two looks, or the server has to cut a part of it.
      return facts.isOnlyIfCached ? context.unavailable(.miss) : try await ask(about: nil, among: matching)
    case .ask(let response):
      return try await ask(about: response, among: matching)
    case .unavailable:
      return context.unavailable(.miss)
    }
  }

  /// What is stored for the request; nothing when the store fails.
  private func lookUp() async -> [StoredResponse] {
    do {
      return try await cache.store.responses(for: key).filter { $0.head.matches(request) }
    } catch {
      cache.note(error)
      return []
    }
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
    var fields = stored.head.fields
    let age = String(outcome.age.components.seconds)
    if stored.head.facts.hasAge { fields[.age] = age } else { fields.append(.age, age) }
    for name in stored.head.facts.control.noCacheFields { fields.remove(name) }
    return try await answer(with: stored, fields, outcome, info)
  }

  /// The answer made of a stored response that the server has confirmed just now.
  func answer(with stored: StoredResponse, confirmedBy confirmation: HTTPResponse) async throws -> HTTPResponse? {
    var fields = stored.head.fields
    // A cookie is set once, by the response that brought it; it is not stored.
    for cookie in confirmation.fields[values: .setCookie] { fields.append(.setCookie, cookie) }
    return try await answer(with: stored, fields, .revalidated, confirmation.info)
  }

  /// The answer made of a stored response: whole, a part of it, or 304.
  private func answer(
    with stored: StoredResponse, _ fields: HTTPFields, _ outcome: CacheOutcome, _ info: ExchangeInfo
  ) async throws -> HTTPResponse? {
    var response = HTTPResponse(status: stored.head.status, fields: fields, info: info)
    let form = StoredAnswer(stored.head, length: stored.length, to: facts, mayBeNotModified: mayBeNotModified)
    switch form {
    case .none:
      return nil
    case .notModified:
      response.status = .notModified
      response.fields.remove(.contentLength)
    case .whole, .part:
      if facts.method == .head { break }
      if let bytes = stored.body {
        response.body = HTTPResponse.Body(bytes)
      } else if let body = await cache.attempt({ try await cache.store.body(of: stored) }) ?? nil {
        response.body = body
      } else {
        return nil
      }
    }
    if case .part(let range) = form { response.cut(to: range, of: stored.length) }
    if case .collected(let limit) = context.delivery, response.body.bufferedBytes == nil {
      guard let collected = try await collect(response, upTo: limit) else { return nil }
      response = collected
    }
    return finish(response, outcome)
  }

  /// The response with its body in memory; `nil` when the store cannot read it.
  private func collect(_ response: HTTPResponse, upTo limit: Int) async throws -> HTTPResponse? {
    do {
      return try await response.collectingBody(upTo: limit)
    } catch let error as APIError where error.kind == .tooLarge {
      throw error
    } catch {
      try Task.checkCancellation()
      cache.note(error)
      return nil
    }
  }
}

extension CacheOutcome {
  /// How old a stored response is; zero for one from the network.
  fileprivate var age: Duration {
    switch self {
    case .hit(let age), .staleHit(let age, _): age
    case .revalidated, .miss, .bypass: .zero
    }
  }
}
