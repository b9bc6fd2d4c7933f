import Foundation
import NetCache
import NetCore
import NetTesting
import Synchronization
import Testing

/// A response is stored, or not; then the same is asked for again: one row of a table.
struct Scenario: Sendable, CustomTestStringConvertible {
  /// What the second request is answered with.
  enum Answer: Sendable, Equatable {
    /// The stored response, without the network.
    case hit
    /// The stored response, without the network or after it failed, although it is stale.
    case stale(CacheOutcome.StaleReason)
    /// The stored response, after the server confirmed it.
    case confirmed
    /// A new response.
    case miss
    /// 504, without the network.
    case unavailable
    /// What the network failed with.
    case failure
  }

  /// How the server answers the second request.
  enum Server: Sendable, Equatable {
    /// With 304 if the condition is met, else with a new response.
    case well
    case status(HTTPResponse.Status)
    case error(TransportFailure)
  }

  /// Where that is written.
  let section: String
  let name: String
  var status: HTTPResponse.Status
  /// The fields of the first response; `Date` is that moment unless it is here.
  let response: HTTPFields
  /// The fields of the first request.
  var first: HTTPFields
  /// The seconds between the two.
  let after: Int
  /// The fields of the second request.
  var second: HTTPFields
  var mode: CacheMode
  var server: Server
  let expected: Answer

  init(
    _ section: String, _ name: String, _ response: HTTPFields, status: HTTPResponse.Status = .ok,
    first: HTTPFields = [:], after: Int = 1, second: HTTPFields? = nil, mode: CacheMode = .standard,
    server: Server = .well, _ expected: Answer
  ) {
    self.section = section
    self.name = name
    self.status = status
    self.response = response
    self.first = first
    self.after = after
    self.second = second ?? first
    self.mode = mode
    self.server = server
    self.expected = expected
  }

  var testDescription: String { "\(section): \(name)" }

  /// What the second request is answered with by a client over the store.
  func run(policy: CachePolicy = CachePolicy(), store: any CacheStore = MemoryCacheStore()) async throws -> Answer {
    let bench = Bench(store: store, policy: policy)
    bench.server { request, number in
      if number == 1 {
        var fields: HTTPFields = [.date: HTTPDate.text(bench.now)]
        fields.override(with: response)
        return .init(status: status, fields: fields, body: .init(Data("one".utf8)))
      }
      switch server {
      case .error(let failure): throw APIError.transport(failure)
      case .status(let status): return .text("two", status: status)
      case .well:
        let isMet =
          request.fields[.ifNoneMatch].map { $0 == response[.eTag] } ?? request.fields[.ifModifiedSince].map {
            $0 == response[.lastModified]
          } ?? false
        let date: HTTPFields = [.date: HTTPDate.text(bench.now)]
        return isMet ? .status(.notModified, fields: date) : .text("two", fields: date)
      }
    }
    _ = try await bench.get(first)
    bench.clock.advance(by: .seconds(after))
    let reply: Reply<String>
    do {
      reply = try await bench.get(second, mode: mode)
    } catch is APIError {
      return .failure
    }
    let requests = bench.transport.requests.count
    switch reply.info.cache {
    case .hit? where reply.value == "one" && requests == 1: return .hit
    case .staleHit(_, let reason)? where reply.value == "one": return .stale(reason)
    case .revalidated? where reply.value == "one" && requests == 2: return .confirmed
    case .miss? where reply.status == .gatewayTimeout && requests == 1: return .unavailable
    case .miss? where reply.value == "two" && requests == 2, .bypass? where reply.value == "two": return .miss
    default:
      struct Odd: Error { let what: String }
      throw Odd(what: "\(String(describing: reply.info.cache)), \(reply.value), \(requests) requests")
    }
  }
}

/// A client with a cache, over a server that a test scripts, with time that stands still.
struct Bench: Sendable {
  typealias Server = @Sendable (RecordedRequest, Int) async throws -> HTTPResponse

  let clock = TestClock(start: start)
  let log = MemorySink()
  let events = EventList()
  let cache: HTTPCache
  let transport: ClosureTransport
  let client: HTTPClient
  private let script: Script

  init(
    store: any CacheStore = MemoryCacheStore(), policy: CachePolicy = CachePolicy(), maximumRefreshes: Int = 16,
    configure: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) {
    let script = Script()
    self.script = script
    cache = HTTPCache(store: store, policy: policy, maximumRefreshes: maximumRefreshes, log: log)
    transport = ClosureTransport { try await script.answer($0) }
    var configuration = HTTPClient.Configuration(baseURL: URL(string: "https://a.example")!)
    configuration.timeSource = clock.timeSource
    configuration.cache = cache
    configuration.observers = [events]
    configuration.validation = .anyStatus
    configuration.redirects = .never
    configure(&configuration)
    client = HTTPClient(configuration, transport: transport)
  }

  /// How the server of a bench answers.
  private final class Script: Sendable {
    private let state = Mutex<(server: Server, count: Int)>(({ _, _ in .status(.ok) }, 0))

    func set(_ server: @escaping Server) {
      state.withLock { $0.server = server }
    }

    func answer(_ request: RecordedRequest) async throws -> HTTPResponse {
      let (server, number) = state.withLock { state in
        state.count += 1
        return (state.server, state.count)
      }
      return try await server(request, number)
    }
  }

  var now: Date { clock.timeSource.now }

  /// Sets how the server answers: the request, and its number from 1.
  func server(_ answer: @escaping Server) {
    script.set(answer)
  }

  /// Sets what the server always answers; `Date` is now unless it is there.
  func server(
    _ fields: HTTPFields, status: HTTPResponse.Status = .ok, text: @escaping @Sendable (Int) -> String = { "\($0)" }
  ) {
    server { [clock] _, number in
      var all: HTTPFields = [.date: HTTPDate.text(clock.timeSource.now)]
      all.override(with: fields)
      return .text(text(number), status: status, fields: all)
    }
  }

  func get(
    _ fields: HTTPFields = [:], path: RequestPath = "x", mode: CacheMode = .standard
  ) async throws -> Reply<String> {
    try await send(.get, fields, path: path, mode: mode)
  }

  func send(
    _ method: HTTPRequest.Method, _ fields: HTTPFields = [:], path: RequestPath = "x", mode: CacheMode = .standard
  ) async throws -> Reply<String> {
    try await client.reply(to: endpoint(method, fields, path: path, mode: mode))
  }

  func open(
    _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], path: RequestPath = "x",
    mode: CacheMode = .standard
  ) async throws -> HTTPResponse {
    try await client.open(endpoint(method, fields, path: path, mode: mode))
  }

  private func endpoint(
    _ method: HTTPRequest.Method, _ fields: HTTPFields, path: RequestPath, mode: CacheMode
  ) -> Endpoint<String> {
    var endpoint = Endpoint<String>(method, path: path)
    endpoint.fields = fields
    endpoint.cacheMode = mode
    return endpoint
  }
}

/// Keeps the events of a client.
final class EventList: CallObserver {
  private let list = Mutex<[CallEvent]>([])

  var all: [CallEvent] { list.withLock { $0 } }

  var outcomes: [CacheOutcome] {
    all.compactMap { if case .cache(let outcome) = $0.kind { outcome } else { nil } }
  }

  func observe(_ event: CallEvent) {
    list.withLock { $0.append(event) }
  }
}

/// Keeps what is written to it.
final class MemorySink: LogSink {
  private let written = Mutex<[String]>([])

  var messages: [String] { written.withLock { $0 } }

  func write(_ message: String, level: LogLevel) {
    written.withLock { $0.append(message) }
  }
}

/// The date on the wire so many seconds after the start.
func date(_ offset: Int) -> String {
  HTTPDate.text(start + TimeInterval(offset))
}

/// A name that may change.
final class LockedName: Sendable {
  private let name = Mutex<String?>(nil)

  var value: String? {
    get { name.withLock { $0 } }
    set { name.withLock { $0 = newValue } }
  }
}
