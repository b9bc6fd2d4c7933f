import Foundation
import NetCache
import NetCore
import NetTesting
import Testing

/// RFC 9111, section 4.4, and what an app clears itself.
@Suite(.timeLimit(.minutes(1))) struct CacheInvalidationTests {
  private let bench = Bench()

  private func fill(_ paths: RequestPath...) async throws {
    bench.server([.cacheControl: "max-age=60"])
    for path in paths { _ = try await bench.get(path: path) }
  }

  private func isStored(_ path: RequestPath) async throws -> Bool {
    try await bench.get(path: path, mode: .onlyIfCached).status == .ok
  }

  @Test(
    arguments: [
      (.post, 200, false), (.put, 201, false), (.delete, 204, false), (.patch, 200, false), ("PURGE", 200, false),
      (.post, 303, false), (.put, 302, false), (.post, 404, true), (.post, 500, true), (.delete, 403, true),
      (.options, 200, true), (.trace, 200, true), (.head, 200, true),
    ] as [(HTTPRequest.Method, HTTPResponse.Status, Bool)])
  func `a success of a method that may change something`(
    method: HTTPRequest.Method, status: HTTPResponse.Status, isKept: Bool
  ) async throws {
    try await fill("x", "y")
    bench.server { _, _ in .status(status) }
    let reply = try await bench.send(method)
    if method != .head { #expect(reply.info.cache == .bypass(.method)) }
    #expect(try await isStored("x") == isKept)
    #expect(try await isStored("y"))
  }

  @Test(
    arguments: [
      (.location, "/y", false), (.location, "y", false), (.location, "https://a.example/y", false),
      (.location, "HTTPS://A.EXAMPLE:443/y#part", false), (.contentLocation, "/y", false),
      (.location, "https://b.example/y", true), (.location, "http://a.example/y", true),
      (.location, "https://a.example:8443/y", true), (.location, "//b.example/y", true), (.location, "", true),
      (.location, "::", true), (.link, "/y", true),
    ] as [(HTTPField.Name, String, Bool)])
  func `what the response names on the same origin`(name: HTTPField.Name, value: String, isKept: Bool) async throws {
    try await fill("y")
    bench.server { _, _ in .status(.created, fields: [name: value]) }
    _ = try await bench.send(.post, path: "x")
    #expect(try await isStored("y") == isKept)
  }

  @Test(
    arguments: [
      (.put, .transport(.truncated), false), (.post, .transport(.timedOut(.idle)), false), (.delete, .tooLarge, false),
      (.put, .transport(.connectionRefused), true), (.get, .transport(.truncated), true),
    ] as [(HTTPRequest.Method, APIError, Bool)])
  func `what may have been done although the exchange broke off`(
    method: HTTPRequest.Method, failure: APIError, isKept: Bool
  ) async throws {
    try await fill("x")
    bench.server { _, _ in throw failure }
    await #expect(throws: APIError.self) { try await bench.send(method, mode: .noStore) }
    #expect(try await isStored("x") == isKept)
  }

  @Test func `what an attempt before the last may have done`() async throws {
    let bench = Bench {
      $0.retry = .standard
      $0.retry.backoff = .none
    }
    bench.server([.cacheControl: "max-age=60"])
    _ = try await bench.get()
    bench.server { _, number in
      if number == 2 { throw APIError.transport(.connectionLost) }
      return .status(.notFound)
    }
    let reply = try await bench.send(.delete)
    #expect(reply.status == .notFound && reply.info.attempts == 2)
    #expect(try await bench.get(mode: .onlyIfCached).status == .gatewayTimeout)
  }

  @Test func `a caller who leaves when the answer comes leaves nothing stale on the disk`() async throws {
    let bench = Bench(store: try TemporaryDiskStore())
    for _ in 1...20 {
      bench.server([.cacheControl: "max-age=60"])
      _ = try await bench.get()
      #expect(try await bench.get(mode: .onlyIfCached).status == .ok)
      bench.server { _, _ in
        withUnsafeCurrentTask { $0?.cancel() }
        return .status(.noContent)
      }
      _ = try? await bench.send(.put)
      #expect(try await bench.get(mode: .onlyIfCached).status == .gatewayTimeout)
    }
  }

  @Test func `all variants, and everybody's`() async throws {
    bench.server([.cacheControl: "max-age=60", .vary: "X-A"])
    for fields: HTTPFields in [["X-A": "1"], ["X-A": "2"], [.authorization: "Bearer a"]] {
      _ = try await bench.get(fields)
    }
    #expect(try await bench.cache.info().entries == 3)
    _ = try await bench.send(.post)
    #expect(try await bench.cache.info().entries == 0)
  }

  @Test func `a response that left before the change is not stored after it`() async throws {
    let body = ScriptedBody()
    bench.server { request, _ in
      request.method == .get
        ? HTTPResponse(fields: [.cacheControl: "max-age=60"], body: body.body) : .status(.noContent)
    }
    let old = try await bench.open()
    _ = try await bench.send(.put)
    body.send("before")
    body.finish()
    _ = try await old.body.collect(upTo: 100)
    #expect(try await !isStored("x"))
  }

  @Test func `cleared: a URL, a prefix, everything`() async throws {
    try await fill("a/1", "a/2", "b/1")
    try await bench.cache.clear(url: #require(URL(string: "HTTPS://a.example:443/a/1#part")))
    #expect(try await [isStored("a/1"), isStored("a/2"), isStored("b/1")] == [false, true, true])
    try await fill("a/1")
    try await bench.cache.clear(prefix: #require(URL(string: "https://A.example/a/")))
    #expect(try await [isStored("a/1"), isStored("a/2"), isStored("b/1")] == [false, false, true])
    try await bench.cache.clear()
    #expect(try await bench.cache.info() == CacheInfo(entries: 0, bytes: 0))
  }

  @Test func `accounts do not see each other's responses, and one can be cleared`() async throws {
    let account = Account()
    let bench = Bench { $0.authenticator = account }
    bench.server([.cacheControl: "max-age=60"])
    for (name, value) in [("ann", "1"), ("ben", "2"), (nil, "3"), ("ann", "1"), ("ben", "2"), (nil, "3")] {
      account.name = name
      #expect(try await bench.get().value == value)
    }
    try await bench.cache.clear(scope: CredentialScope("ann"))
    for (name, value) in [("ann", "4"), ("ben", "2"), (nil, "3")] {
      account.name = name
      #expect(try await bench.get().value == value)
    }
  }

  @Test func `a response of an account that is cleared meanwhile is not stored`() async throws {
    let account = Account()
    account.name = "ann"
    let gate = Gate()
    let bench = Bench { $0.authenticator = account }
    bench.server { _, _ in
      try await gate.pass()
      return .text("late", fields: [.cacheControl: "max-age=60"])
    }
    gate.close()
    let call = Task { try await bench.get() }
    await gate.waiting(1)
    try await bench.cache.clear(scope: CredentialScope("ann"))
    gate.open()
    #expect(try await call.value.value == "late")
    #expect(try await bench.cache.info().entries == 0)
  }

  @Test func `section 4.3.5: HEAD is answered from GET, updates it, and removes what it contradicts`() async throws {
    bench.server([.cacheControl: "max-age=10", .eTag: "\"a\"", .contentLength: "1"])
    _ = try await bench.get()
    let head = try await bench.send(.head)
    #expect(head.info.cache == .hit(age: .zero))
    #expect(head.value == "" && head.fields[.eTag] == "\"a\"")
    bench.clock.advance(by: .seconds(20))
    bench.server { _, _ in
      .status(
        .ok, fields: [.cacheControl: "max-age=99", .eTag: "\"a\"", .contentLength: "1", "X-New": "1", .date: date(20)])
    }
    #expect(try await bench.send(.head).info.cache == .miss)
    #expect(bench.transport.requests.count == 2)
    #expect(try await bench.get().fields["X-New"] == "1")
    bench.server { _, _ in .status(.ok, fields: [.eTag: "\"b\""]) }
    _ = try await bench.send(.head, mode: .noCache)
    #expect(try await !isStored("x"))
  }

  @Test func `RFC 9110, section 9.3.2: a HEAD by itself stores nothing`() async throws {
    bench.server([.cacheControl: "max-age=60"])
    _ = try await bench.send(.head)
    #expect(try await bench.cache.info().entries == 0)
  }

  @Test func `RFC 9110, section 9.3.1: a GET with content is nobody else's`() async throws {
    bench.server([.cacheControl: "max-age=60"])
    let call = Endpoint<String>(.get, path: "x", body: .bytes(Data("query".utf8), contentType: "text/plain"))
    #expect(try await bench.client.reply(to: call).info.cache == .bypass(.content))
    #expect(try await bench.cache.info().entries == 0)
  }
}

/// Signs nothing, and says whose the requests are.
private final class Account: Authenticator {
  private let scope = LockedName()

  var name: String? {
    get { scope.value }
    set { scope.value = newValue }
  }

  func scope(for request: HTTPRequest) -> CredentialScope? { name.map { CredentialScope($0) } }
  func sign(_ request: HTTPRequest, context: RequestContext) -> HTTPRequest { request }
}
