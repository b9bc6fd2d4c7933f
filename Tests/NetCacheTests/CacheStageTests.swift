import Foundation
import NetCache
import NetCore
import NetTesting
import Testing

/// What callers see of a cache in their client.
@Suite(.timeLimit(.minutes(1))) struct CacheStageTests {
  private let bench = Bench()

  @Test func `a hit has its age, no attempt, and the same content`() async throws {
    bench.server([.cacheControl: "max-age=60", .contentType: "text/plain", "X-A": "1"])
    let first = try await bench.get()
    bench.clock.advance(by: .seconds(20))
    let second = try await bench.get()
    #expect(first.value == "1" && second.value == "1")
    #expect(first.info.cache == .miss && first.info.attempts == 1)
    #expect(second.info.cache == .hit(age: .seconds(20)) && second.info.attempts == 0)
    #expect(second.fields[.age] == "20")
    #expect(second.fields["X-A"] == "1")
    #expect(second.url == first.url)
    #expect(bench.transport.requests.count == 1)
  }

  @Test func `observers are told, and a log has a line`() async throws {
    bench.server([.cacheControl: "max-age=60, stale-while-revalidate=60"])
    _ = try await bench.get()
    _ = try await bench.get()
    bench.server { _, _ in throw APIError.transport(.offline) }
    bench.clock.advance(by: .seconds(300))
    _ = try await bench.get()
    #expect(
      bench.events.outcomes == [
        .miss, .hit(age: .zero), .staleHit(age: .seconds(300), .disconnected),
      ])
    let sink = MemorySink()
    let log = HTTPLog(level: .debug, sink: sink)
    for event in bench.events.all { log.observe(event) }
    #expect(sink.messages.contains("[1 GET x] ⌂ cache: miss"))
    #expect(sink.messages.contains("[2 GET x] ⌂ cache: hit, 0.0 ms old"))
    #expect(
      sink.messages.contains("[3 GET x] ⌂ cache: stale hit because the server cannot be reached, 300.00 s old"))
  }

  @Test func `an age from before takes the place of the one that came`() async throws {
    bench.server([.cacheControl: "max-age=60", .age: "7"])
    _ = try await bench.get()
    bench.clock.advance(by: .seconds(3))
    #expect(try await bench.get().fields[values: .age] == ["10"])
  }

  @Test func `section 5.2.2.4: fields that no-cache names are left out until they are confirmed`() async throws {
    bench.server([.cacheControl: "max-age=60, no-cache=\"X-A\"", "X-A": "1", "X-B": "2", .eTag: "\"a\""])
    #expect(try await bench.get().fields["X-A"] == "1")
    let hit = try await bench.get()
    #expect(hit.fields["X-A"] == nil && hit.fields["X-B"] == "2")
    bench.server { _, _ in .status(.notModified) }
    let confirmed = try await bench.get(mode: .noCache)
    #expect(confirmed.info.cache == .revalidated)
    #expect(confirmed.fields["X-A"] == "1")
  }

  @Test func `section 7.3: a cookie is set once`() async throws {
    bench.server([.cacheControl: "max-age=60", .setCookie: "a=1", .eTag: "\"a\""])
    #expect(try await bench.get().fields[values: .setCookie] == ["a=1"])
    #expect(try await bench.get().fields[values: .setCookie] == [])
    bench.server { _, _ in .status(.notModified, fields: [.setCookie: "b=2"]) }
    #expect(try await bench.get(mode: .noCache).fields[values: .setCookie] == ["b=2"])
    #expect(try await bench.get().fields[values: .setCookie] == [])
  }

  @Test func `section 4.3.3: a confirmed response has the new fields, and is fresh again`() async throws {
    bench.server([.cacheControl: "max-age=10", .eTag: "\"a\"", "X-A": "1", .contentType: "text/plain"])
    _ = try await bench.get()
    bench.clock.advance(by: .seconds(20))
    bench.server { [now = bench.now + 20] _, _ in
      .status(
        .notModified, fields: [.eTag: "\"a\"", .date: HTTPDate.text(now), "X-A": "2", .cacheControl: "max-age=30"])
    }
    let confirmed = try await bench.get()
    #expect(confirmed.status == .ok && confirmed.value == "1" && confirmed.fields["X-A"] == "2")
    #expect(confirmed.info.cache == .revalidated && confirmed.info.attempts == 1)
    #expect(bench.transport.requests[1].fields[.ifNoneMatch] == "\"a\"")
    bench.clock.advance(by: .seconds(29))
    #expect(try await bench.get().info.cache == .hit(age: .seconds(29)))
    bench.clock.advance(by: .seconds(1))
    #expect(try await bench.get().info.cache == .revalidated)
  }

  @Test(
    arguments: [
      (.post, [:], .bypass(.method)), (.get, [.cacheControl: "only-if-cached, no-store"], .bypass(.noStore)),
      (.get, [.ifMatch: "\"a\""], .bypass(.condition)),
    ] as [(HTTPRequest.Method, HTTPFields, CacheOutcome)])
  func `section 5.2.1.7: what no cache answers does not reach the network either`(
    method: HTTPRequest.Method, fields: HTTPFields, outcome: CacheOutcome
  ) async throws {
    let reply = try await bench.send(method, fields, mode: .onlyIfCached)
    #expect(reply.status == .gatewayTimeout && reply.info.cache == outcome && reply.info.attempts == 0)
    #expect(bench.events.outcomes == [outcome])
    #expect(bench.transport.requests.isEmpty)
  }

  @Test func `with keys of their own, callers see nothing of each other's`() async throws {
    let origin = try #require(URL(string: "https://a.example"))
    let authenticator = try APIKeyAuthenticator(key: "k", origins: [origin])
    let bench = Bench { $0.authenticator = authenticator }
    bench.server { request, _ in .text(request.fields["X-API-Key"] ?? "", fields: [.cacheControl: "max-age=60"]) }
    for _ in 1...2 {
      for key in ["a", "b"] { #expect(try await bench.get(["X-API-Key": key]).value == key) }
      #expect(try await bench.get().value == "k")
    }
    #expect(bench.transport.requests.count == 3)
  }

  @Test func `both validators are sent`() async throws {
    bench.server([.cacheControl: "no-cache", .eTag: "W/\"a\"", .lastModified: date(-9)])
    _ = try await bench.get()
    _ = try await bench.get()
    #expect(bench.transport.requests[1].fields[.ifNoneMatch] == "W/\"a\"")
    #expect(bench.transport.requests[1].fields[.ifModifiedSince] == date(-9))
  }

  @Test func `section 4.3.4: a 304 about another response brings the whole, in a second attempt`() async throws {
    bench.server([.cacheControl: "no-cache", .eTag: "\"a\""])
    _ = try await bench.get()
    bench.server { request, _ in
      request.fields.contains(.ifNoneMatch) ? .status(.notModified, fields: [.eTag: "\"b\""]) : .text("whole")
    }
    let reply = try await bench.get()
    #expect(reply.value == "whole" && reply.info.cache == .miss && reply.info.attempts == 2)
    #expect(bench.transport.requests.map(\.attempt) == [1, 1, 2])
  }

  @Test func `a 304 with no-store ends the storing`() async throws {
    bench.server([.cacheControl: "no-cache", .eTag: "\"a\""])
    _ = try await bench.get()
    bench.server { _, _ in .status(.notModified, fields: [.cacheControl: "no-store"]) }
    #expect(try await bench.get().value == "1")
    #expect(try await bench.cache.info().entries == 0)
  }

  @Test func `what replaces a response and may not be stored leaves none behind`() async throws {
    bench.server([.cacheControl: "max-age=1"])
    _ = try await bench.get()
    bench.clock.advance(by: .seconds(2))
    bench.server([.cacheControl: "no-store"])
    _ = try await bench.get()
    #expect(try await bench.cache.info().entries == 0)
  }

  @Test func `section 4.1: variants live side by side, and of several that match the newest is used`() async throws {
    bench.server([.cacheControl: "max-age=60", .vary: "X-A"])
    #expect(try await bench.get(["X-A": "1"]).value == "1")
    #expect(try await bench.get(["X-A": "2"]).value == "2")
    #expect(try await bench.get(["X-A": "1"]).value == "1")
    #expect(try await bench.get(["X-A": "2"]).value == "2")
    #expect(try await bench.cache.info().entries == 2)
    bench.clock.advance(by: .seconds(1))
    bench.server([.cacheControl: "max-age=60"])
    #expect(try await bench.get(["X-A": "3"]).value == "3")
    #expect(try await bench.get(["X-A": "1"]).value == "3")
    #expect(try await bench.cache.info().entries == 3)
  }

  @Test func `section 4.1: a 304 freshens its own variant`() async throws {
    bench.server { request, _ in
      let tag = "\"\(request.fields["X-A"] ?? "")\""
      if request.fields[.ifNoneMatch] == tag { return .status(.notModified, fields: [.eTag: tag, "X-New": "1"]) }
      return .text("body", fields: [.cacheControl: "max-age=10", .vary: "X-A", .eTag: tag])
    }
    _ = try await bench.get(["X-A": "1"])
    _ = try await bench.get(["X-A": "2"])
    bench.clock.advance(by: .seconds(11))
    #expect(try await bench.get(["X-A": "1"]).info.cache == .revalidated)
    #expect(try await bench.get(["X-A": "1"]).fields["X-New"] == "1")
    #expect(try await bench.get(["X-A": "2"]).info.cache == .revalidated)
  }

  @Test func `redirects and errors are kept too`() async throws {
    bench.server([.cacheControl: "max-age=60", .location: "/y"], status: 301)
    for _ in 0..<2 { #expect(try await bench.get().status == 301) }
    bench.server([.cacheControl: "max-age=60"], status: 404)
    for _ in 0..<2 { #expect(try await bench.get(path: "z").status == 404) }
    #expect(bench.transport.requests.count == 2)
  }

  @Test func `a redirect that is stored is followed without the network`() async throws {
    let bench = Bench { $0.redirects = .standard }
    bench.server { request, _ in
      request.path == "/x"
        ? .status(301, fields: [.location: "/y", .cacheControl: "max-age=60"])
        : .text("there", fields: [.cacheControl: "max-age=60"])
    }
    #expect(try await bench.get().info.attempts == 2)
    let again = try await bench.get()
    #expect(again.value == "there" && again.info.attempts == 0 && again.info.redirects.count == 1)
    #expect(again.info.cache == .hit(age: .zero))
  }

  @Test func `a cookie is set by the network, and never by what is stored`() async throws {
    let jar = CookieJar()
    let bench = Bench { $0.cookies = jar }
    bench.server([.cacheControl: "max-age=60", .setCookie: "a=1"])
    _ = try await bench.get()
    bench.server([.setCookie: "a=2"])
    _ = try await bench.get(path: "y")
    #expect(try await bench.get().info.cache == .hit(age: .zero))
    bench.server([:])
    _ = try await bench.get(path: "z")
    #expect(bench.transport.requests.last?.fields[.cookie] == "a=2")
  }

  @Test func `section 5.2.1.7: 504 is an answer, and a failure to who waits for a value`() async throws {
    let strict = Bench { $0.validation = .successful }
    var call = Endpoint<String>(path: "x")
    call.cacheMode = .onlyIfCached
    await #expect(throws: APIError.badStatus(504)) { try await strict.client.send(call) }
    #expect(strict.transport.requests.isEmpty)
  }

  @Test func `modes are told to caches on the way`() async throws {
    bench.server([.cacheControl: "max-age=60"])
    for mode in [CacheMode.reload, .noCache, .noStore] { _ = try await bench.get(mode: mode) }
    #expect(bench.transport.requests.map { $0.fields[.cacheControl] } == ["no-cache", "no-cache", "no-store"])
  }

  @Test func `a retried response is stored once it is there`() async throws {
    let bench = Bench { $0.retry = .standard }
    bench.server { _, number in
      number == 1 ? .status(503, fields: [.retryAfter: "0"]) : .text("2", fields: [.cacheControl: "max-age=60"])
    }
    #expect(try await bench.get().info.attempts == 2)
    #expect(try await bench.get().info.cache == .hit(age: .zero))
  }

  @Test func `a stale response comes after the retries, and tells of them`() async throws {
    let bench = Bench {
      $0.retry = .standard
      $0.retry.backoff = .none
    }
    bench.server([.cacheControl: "max-age=1, stale-if-error=60"])
    _ = try await bench.get()
    bench.clock.advance(by: .seconds(2))
    bench.server { _, _ in .status(503) }
    let reply = try await bench.get()
    #expect(reply.info.cache == .staleHit(age: .seconds(2), .serverError))
    #expect(reply.info.attempts == 3 && reply.info.failures.count == 2)
    bench.server { _, _ in throw APIError.transport(.connectionRefused) }
    #expect(try await bench.get().info.attempts == 3)
  }

  @Test func `section 4.2.4: a host that the circuit breaker leaves alone cannot be reached`() async throws {
    let bench = Bench {
      $0.circuitBreaker = CircuitBreaker()
      $0.circuitBreaker?.minimumCalls = 4
    }
    bench.server([.cacheControl: "max-age=1"])
    _ = try await bench.get()
    bench.clock.advance(by: .seconds(2))
    bench.server { _, _ in throw APIError.transport(.connectionLost) }
    for _ in 0..<20 { #expect(try await bench.get().info.cache == .staleHit(age: .seconds(2), .disconnected)) }
    #expect(bench.transport.requests.count < 20)
  }

  @Test func `equal calls share a hit, and a cache lives beside coalescing`() async throws {
    let bench = Bench { $0.coalescesCalls = true }
    bench.server([.cacheControl: "max-age=60"])
    let values = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 { group.addTask { try await bench.get().value } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(values == ["1"])
    #expect(bench.transport.requests.count == 1)
  }
}
