/// Gives each hop of a call the jar's cookies, above the cache, so that stored answers that vary on cookies are told apart.
///
/// A request with a Cookie field of its own gets nothing.
struct CookieAttachment: HTTPMiddleware, Interruptible {
  let jar: CookieJar

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    if !jar.isLoaded { try await context.interruptible { [jar] in try await jar.load() } }
    if request.fields.contains(.cookie) {
      var context = context
      context.hasOwnCookies = true
      return try await next.send(request, context: context)
    }
    guard let field = jar.field(for: request.url) else { return try await next.send(request, context: context) }
    var request = request
    request.fields.append(field)
    return try await next.send(request, context: context)
  }
}

/// Gives an attempt after the first the cookies that are there by then: a refusal may have set some.
struct CookieRenewal: HTTPMiddleware, Interruptible {
  let jar: CookieJar

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    guard context.attempt > 1, !context.hasOwnCookies else { return try await next.send(request, context: context) }
    let field = jar.field(for: request.url)
    guard field != request.fields.first(where: { $0.name == .cookie }) else {
      return try await next.send(request, context: context)
    }
    var request = request
    request.fields.remove(.cookie)
    if let field { request.fields.append(field) }
    var response = try await next.send(request, context: context)
    // The cache above saw other cookies: it must not give them this answer.
    if response.variesOnCookies { response.fields.append(.vary, "*") }
    return response
  }
}

/// Puts the cookies of every response of the network into the jar, as soon as its transport brings it.
struct CookieReception: HTTPMiddleware, Interruptible {
  let jar: CookieJar

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    let response = try await next.send(request, context: context)
    jar.setLoadedCookies(from: response.fields, for: request.url)
    return response
  }
}

extension HTTPResponse {
  fileprivate var variesOnCookies: Bool {
    fields[.vary]?.lowercased().split(whereSeparator: { $0 == "," || $0 == " " }).contains("cookie") ?? false
  }
}

extension CookieAttachment: CustomStringConvertible {
  var description: String { "cookies: each request gets those of the jar" }
}

extension CookieRenewal: CustomStringConvertible {
  var description: String { "cookies: an attempt after the first gets those set meanwhile" }
}

extension CookieReception: CustomStringConvertible {
  var description: String { "cookies: every response of the network may set some" }
}
