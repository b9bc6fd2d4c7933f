import NetCore
import NetLoopback

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Answers the requests, and logs a line for each.
struct BackendAPI: Sendable {
  let store: StateStore
  let log: any LogSink
  let timeSource: TimeSource
  private let tips = TipCalendar.embedded

  func respond(to request: LoopbackRequest) async throws -> LoopbackResponse {
    let started = timeSource.elapsed
    let response: LoopbackResponse
    do {
      response = try await answer(request)
    } catch let error as LoopbackError {
      response = .problem(error.status, detail: error.detail)
    }
    logLine(request, response.status, after: timeSource.elapsed - started)
    return response
  }

  private func answer(_ request: LoopbackRequest) async throws -> LoopbackResponse {
    guard request.isForLoopback else {
      throw LoopbackError(.misdirectedRequest, "This server answers for 127.0.0.1 and localhost only.")
    }
    let method = request.method == .head ? .get : request.method
    switch (method, request.pathSegments) {
    case (.get, ["tips", "today"]): return try tipOfTheDay(request)
    case (.get, ["users"]): return try answer(await store.users())
    case (.post, ["users"]): return try await addUser(request)
    case (.get, let path) where path.count == 2 && path[0] == "users": return try await user(path[1])
    case (_, let path): return try refuse(path)
    }
  }

  /// The tip of the day in UTC, fresh until the day ends but an hour at most, with an entity tag (RFC 9110, section 8.8.3).
  /// When nobody answers any more, one of the last week will do (RFC 5861).
  private func tipOfTheDay(_ request: LoopbackRequest) throws -> LoopbackResponse {
    let now = timeSource.now
    let content = try encoder.encode(tips.tip(on: now))
    var response = LoopbackResponse.bytes(content, contentType: "application/json")
    let tag = entityTag(of: content)
    if request.names(entityTag: tag) { response = LoopbackResponse(status: .notModified) }
    response.fields[.eTag] = tag
    let lifetime = min(3_600, TipCalendar.secondsLeft(ofDayOf: now))
    response.fields[.cacheControl] = "max-age=\(lifetime), stale-if-error=604800"
    return response
  }

  private func user(_ number: String) async throws -> LoopbackResponse {
    // As it is given out: `01` and `+1` are nobody's number.
    guard let id = Int(number), String(id) == number, let user = try await store.user(id) else {
      throw LoopbackError(.notFound, "There is no such user.")
    }
    return try answer(user)
  }

  private func addUser(_ request: LoopbackRequest) async throws -> LoopbackResponse {
    let new = try await NewUser(request)
    let user = try await store.add(new)
    var response = try answer(user, status: .created)
    response.fields[.location] = "/users/\(user.id)"
    return response
  }

  /// What is not there, or cannot be done with what is.
  private func refuse(_ path: [String]) throws -> LoopbackResponse {
    let allowed: String? =
      switch path {
      case ["users"]: "GET, HEAD, POST"
      case ["tips", "today"]: "GET, HEAD"
      default: path.count == 2 && path[0] == "users" ? "GET, HEAD" : nil
      }
    guard let allowed else {
      throw LoopbackError(.notFound, "There is nothing here: see /tips/today and /users.")
    }
    var response = LoopbackResponse.problem(.methodNotAllowed, detail: "This takes \(allowed) only.")
    response.fields[.allow] = allowed
    return response
  }

  /// Data about people: no cache may keep it.
  private func answer(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> LoopbackResponse {
    var response = try LoopbackResponse.json(value, status: status, encoder: encoder)
    response.fields[.cacheControl] = "no-store"
    return response
  }

  private var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  /// `2026-12-01T08:30:00Z GET /tips/today 200 0.4 ms`
  private func logLine(_ request: LoopbackRequest, _ status: HTTPResponse.Status, after duration: Duration) {
    let milliseconds = (duration / .milliseconds(1) * 10).rounded() / 10
    let date = timeSource.now.formatted(.iso8601)
    log.write("\(date) \(request.summary) \(status.code) \(milliseconds) ms", level: .info)
  }
}
