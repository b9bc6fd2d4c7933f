import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A response from the network, with the times around it.
private struct Exchange {
  let response: HTTPResponse
  let requestTime: Date
  let responseTime: Date
}

extension CachedCall {
  /// Asks the server, about a stored response when there is one, and stores what it answers.
  ///
  /// - Parameters:
  ///   - asked: The stored response that would be the answer if the server confirms it, or fails.
  ///   - stored: All that match the request.
  func ask(about asked: StoredResponse?, among stored: [StoredResponse]) async throws -> HTTPResponse {
    let fetch = cache.fetches.begin(key)
    let exchange: Exchange
    do {
      exchange = try await send(outgoing(about: asked))
    } catch {
      guard let failure = ServerFailure(error), let failed = error as? APIError else { throw error }
      var info = ExchangeInfo(attempts: failed.attempts)
      info.failures = failed.failures
      guard let answer = try await fallback(to: asked, after: failure, info) else { throw error }
      return answer
    }
    if let failure = ServerFailure(exchange.response.status),
      let answer = try await fallback(to: asked, after: failure, exchange.response.info)
    {
      exchange.response.body.discard()
      return answer
    }
    if exchange.response.status == .notModified {
      return try await confirm(exchange, asked: asked, among: stored, fetch)
    }
    if facts.method == .head {
      await compare(exchange, with: stored, fetch)
      return finish(exchange.response, .miss)
    }
    return finish(await store(exchange, replacing: stored, fetch), .miss)
  }

  /// The request as it goes out.
  ///
  /// A condition of the caller's own is sent as it is when the caller takes a 304, and gives way to the cache's when not. A
  /// request for a part has none of the cache's, which would ask about the whole; neither has a `HEAD`.
  private func outgoing(about asked: StoredResponse?) -> HTTPRequest {
    guard !(mayBeNotModified && facts.hasCondition) else { return request }
    guard asked != nil || facts.hasCondition else { return request }
    var request = request
    let isWhole = facts.method == .get && facts.range == nil
    request.fields = request.fields.asking(about: isWhole ? asked?.head : nil)
    return request
  }

  private func send(_ request: HTTPRequest, attempt: Int = 1) async throws -> Exchange {
    var context = context
    context.attempt = max(context.attempt, attempt)
    let requestTime = now
    let response = try await next.send(request, context: context)
    return Exchange(response: response, requestTime: requestTime, responseTime: now)
  }

  /// The stored response, when it may be the answer although the server failed.
  ///
  /// - Parameter info: What is known about the exchange that failed.
  private func fallback(
    to asked: StoredResponse?, after failure: ServerFailure, _ info: ExchangeInfo
  ) async throws -> HTTPResponse? {
    guard let asked, !Task.isCancelled,
      let outcome = policy.fallback(to: asked.head, after: failure, for: facts, at: now)
    else { return nil }
    return try await answer(with: asked, outcome, info)
  }

  /// The server says that a stored response is still good: one gets its new fields and is the answer, unless the condition
  /// was the caller's own.
  private func confirm(
    _ exchange: Exchange, asked: StoredResponse?, among stored: [StoredResponse], _ fetch: Fetch
  ) async throws -> HTTPResponse {
    let confirmation = exchange.response
    let isOwn = mayBeNotModified && facts.hasCondition
    let confirmed = policy.confirmed(by: confirmation.fields, asked: isOwn ? nil : asked, among: stored)
    let fresh =
      if let confirmed { await freshen(confirmed, by: exchange, fetch) } else { nil as StoredResponse? }
    if isOwn { return finish(confirmation, confirmed == nil ? .miss : .revalidated) }
    confirmation.body.discard()
    if let fresh, let answer = try await answer(with: fresh, confirmedBy: confirmation) { return answer }
    guard asked != nil else { return finish(confirmation, .miss) }
    // It confirmed something that is not stored, or no longer: the whole response is asked for.
    var plain = request
    plain.fields = request.fields.asking(about: nil)
    let whole = try await send(plain, attempt: confirmation.info.attempts + 1)
    return finish(await store(whole, replacing: stored, fetch), .miss)
  }

  /// A stored response with the fields of a newer one about it.
  private func freshen(_ stored: StoredResponse, by exchange: Exchange, _ fetch: Fetch) async -> StoredResponse {
    let head = stored.head.freshened(
      by: exchange.response.fields, requestTime: exchange.requestTime, responseTime: exchange.responseTime)
    _ = await cache.attempt {
      if head.facts.control.flags.contains(.noStore) {
        try await cache.store.remove(.response(stored.id, of: key))
      } else if fetch.isValid {
        try await cache.store.update(stored.id, to: head)
      }
    }
    return StoredResponse(id: stored.id, head: head, length: stored.length, body: stored.body)
  }

  /// The answer to a `HEAD` freshens the stored responses it is about, and removes those it contradicts (RFC 9111, section
  /// 4.3.5).
  private func compare(_ exchange: Exchange, with stored: [StoredResponse], _ fetch: Fetch) async {
    guard exchange.response.status == .ok else { return }
    for each in stored {
      if policy.isAbout(each.head, exchange.response.fields) {
        _ = await freshen(each, by: exchange, fetch)
      } else {
        _ = await cache.attempt { try await cache.store.remove(.response(each.id, of: key)) }
      }
    }
  }
}

extension CachedCall {
  /// The response, which is stored if it may be: at once when its body is there, else while it is read. If not, those that it
  /// makes obsolete go.
  private func store(_ exchange: Exchange, replacing old: [StoredResponse], _ fetch: Fetch) async -> HTTPResponse {
    let response = exchange.response
    let head = StoredHead(
      response, to: request, key: key, requestTime: exchange.requestTime, responseTime: exchange.responseTime)
    guard policy.mayStore(head, for: facts), fetch.isValid, response.body.length ?? 0 <= cache.store.maximumBodySize
    else {
      for each in policy.supersedes(response) ? old : [] {
        _ = await cache.attempt { try await cache.store.remove(.response(each.id, of: key)) }
      }
      return response
    }
    let entry = NewEntry(cache: cache, head: head, fetch: fetch)
    // Of an empty body nobody may read the end.
    if let bytes = response.body.length == 0 ? Data() : response.body.bufferedBytes {
      await entry.insert(bytes)
      return response
    }
    guard let writer = await entry.writer(length: response.body.length) else { return response }
    var passed = response
    passed.body = HTTPResponse.Body(
      length: response.body.length, source: StoringBody(response.body, into: writer, of: entry))
    return passed
  }

  /// Asks the server about a stale response that was just used, beside the call, unless somebody does already.
  func refresh(_ stored: StoredResponse) {
    guard cache.refreshes.begin(stored.head) else { return }
    var plain = HTTPRequest(url: request.url, fields: request.fields.asking(about: nil))
    plain.fields.remove(.range)
    plain.fields.remove(.ifRange)
    let isStarted = client.runInBackground(plain, context: context, timeout: cache.refreshTimeout) {
      [self, plain] context in
      defer { cache.refreshes.end(stored.head) }
      // Nothing but the server's answer will do.
      let call = CachedCall(
        cache: cache, client: client, request: plain, facts: RequestFacts(plain, mode: .noCache), key: key,
        context: context, next: next)
      let response = try await call.ask(about: stored, among: [stored])
      // Whoever reads the body stores it; here it is this loop. It reads no more than is stored.
      var rest = cache.store.maximumBodySize
      while rest >= 0, let chunk = try await response.body.nextChunk() { rest -= Int64(chunk.count) }
      response.body.discard()
    }
    if !isStarted { cache.refreshes.end(stored.head) }
  }
}
