import Foundation
import NetTesting
import Synchronization
import Testing

@testable import NetCore

private let example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
private let call = Endpoint<Void>(path: "widgets/1", name: "GetWidget")

@Suite struct TraceContextTests {
  @Test func `a traceparent is read and written`() throws {
    let context = try #require(
      TraceContext(traceparent: example, tracestate: "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"))
    #expect(context.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
    #expect(context.spanID == "00f067aa0ba902b7")
    #expect(context.parentSpanID == nil)
    #expect(context.isSampled)
    #expect(context.tracestate == "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE")
    #expect(context.traceparent == example)
  }

  @Test(arguments: [
    // Flags that version 00 does not know are not sent on.
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", "00"),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-fe", "00"),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03", "01"),
    // A later version, alone and with more parts.
    ("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "01"),
    ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-will-be-like", "01"),
    ("fe-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-", "01"),
    // Half of the identifier may be zero.
    ("00-00000000000000000000000000000001-0000000000000001-01", "01"),
    ("00-10000000000000000000000000000000-1000000000000000-01", "01"),
  ])
  func `what is valid is sent on as version 00`(text: String, flags: String) throws {
    let context = try #require(TraceContext(traceparent: text))
    #expect(context.traceparent == "00-" + text.dropFirst(3).prefix(49) + "-" + flags)
  }

  @Test(arguments: [
    "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", "\(example)-", "\(example)-00", " \(example)",
    "\(example) ", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "0A-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0A",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-011",
    "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
    "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b-01-",
    "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.what",
    "00-４bf92f3577b34da6a3ce929d0e0e47-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-\u{0}1",
  ])
  func `what is not valid is none`(text: String) {
    #expect(TraceContext(traceparent: text) == nil)
  }

  @Test(
    arguments: [
      ("foo=1", "foo=1"), ("foo=1,bar=2", "foo=1,bar=2"), ("foo=1 \t , \t bar=2, baz=3", "foo=1,bar=2,baz=3"),
      ("foo=1,", "foo=1"), (",foo=1", "foo=1"), ("foo=1,,,bar=2", "foo=1,bar=2"), ("foo=bar baz", "foo=bar baz"),
      ("foo= 1", "foo= 1"), ("foo@vendor=1", "foo@vendor=1"), ("0foo@vendor=1", "0foo@vendor=1"),
      ("a-*/_9=!\"#$%&'()*+-./:;<>?@[]^_`{|}~", "a-*/_9=!\"#$%&'()*+-./:;<>?@[]^_`{|}~"),
      (String(repeating: "z", count: 256) + "=1", String(repeating: "z", count: 256) + "=1"),
      ("f=" + String(repeating: "v", count: 256), "f=" + String(repeating: "v", count: 256)),
      ("", nil), (" , ", nil), ("foo", nil), ("=1", nil), ("foo=", nil), ("foo=1=2", nil), ("foo =1", nil),
      ("FOO=1", nil),
      ("0foo=1", nil), ("foo.bar=1", nil), ("foo@=1", nil), ("@foo=1", nil), ("foo@@bar=1", nil),
      ("foo@bar@baz=1", nil),
      ("foo@0bar=1", nil), ("foo=1,foo=2", nil), ("foo=1\u{0}", nil), ("foo=é", nil), ("fö=1", nil),
      (String(repeating: "z", count: 257) + "=1", nil), ("f=" + String(repeating: "v", count: 257), nil),
      (String(repeating: "t", count: 242) + "@v=1", nil), ("t@" + String(repeating: "v", count: 15) + "=1", nil),
      ((0..<33).map { "k\($0)=1" }.joined(separator: ","), nil),
    ] as [(String, String?)])
  func `a tracestate is handed on when it is valid, and dropped alone when not`(text: String, handedOn: String?) {
    let context = TraceContext(traceparent: example, tracestate: text)
    #expect(context != nil)
    #expect(context?.tracestate == handedOn)
  }

  @Test func `the fields of a request`() {
    #expect(TraceContext(fields: ["TraceParent": example])?.traceparent == example)
    let several: HTTPFields = ["traceparent": example, "tracestate": "a=1", "TRACESTATE": "b=2"]
    #expect(TraceContext(fields: several)?.tracestate == "a=1,b=2")
    #expect(TraceContext(fields: ["traceparent": example, "Traceparent": example]) == nil)
    #expect(TraceContext(fields: ["tracestate": "a=1"]) == nil)
  }

  @Test(arguments: [(0.0, false), (0.5, false), (0.51, true), (1.0, true)])
  func `a share of the traces is sampled, by their identifier`(share: Double, isSampled: Bool) {
    // Of the identifier 56 bits count, which here are almost half of all there are.
    #expect(TraceContext(sampling: share) { 0xFF7F_0000_0000_0000 }.isSampled == isSampled)
  }

  @Test func `identifiers of zeros are never made`() {
    let context = TraceContext(sampling: 1) { 0 }
    #expect(TraceContext(traceparent: context.traceparent)?.traceparent == context.traceparent)
    #expect(TraceContext(traceparent: context.child { 0 }.traceparent) != nil)
  }
}

@Suite(.timeLimit(.minutes(1))) struct TracingTests {
  private let recorder = EventRecorder()

  /// A client whose identifiers count from 1.
  private func client(
    _ transport: any HTTPTransport, _ tracing: Tracing = Tracing(),
    _ configure: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) -> HTTPClient {
    let number = Mutex<UInt64>(0)
    return makeClient(transport) {
      $0.observers = [recorder]
      $0.tracing = tracing
      $0.tracing?.identifier = {
        number.withLock { number in
          number += 1
          return number
        }
      }
      configure(&$0)
    }
  }

  @Test func `each attempt has a span of its own, in one trace`() async throws {
    let transport = ClosureTransport { .status($0.attempt == 1 ? 503 : 200) }
    let client = client(transport) {
      $0.retry = .standard
      $0.retry.backoff = .none
    }
    try await client.send(call)
    #expect(
      transport.requests.map { $0.fields["traceparent"] } == [
        "00-00000000000000010000000000000002-0000000000000004-01",
        "00-00000000000000010000000000000002-0000000000000005-01",
      ])
    #expect(transport.requests.allSatisfy { !$0.fields.contains("tracestate") })
    #expect(Set(recorder.events.map(\.trace?.traceID)) == ["00000000000000010000000000000002"])
    let callSpan = "0000000000000003"
    #expect(recorder.story.first == "started 1")
    #expect(recorder.events.first?.trace?.spanID == callSpan)
    #expect(recorder.events.last?.trace?.spanID == callSpan)
    #expect(recorder.events[1].trace?.spanID == "0000000000000004")
    #expect(recorder.events[1].trace?.parentSpanID == callSpan)
  }

  @Test func `a call within a trace goes on with it`() async throws {
    let transport = answering(.status(200))
    let parent = TraceContext(traceparent: example.dropLast(2) + "00", tracestate: "congo=t61rcWkgMzE")
    try await TraceContext.$current.withValue(parent) { try await client(transport).send(call) }
    #expect(
      transport.requests[0].fields["traceparent"] == "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000002-00")
    #expect(transport.requests[0].fields["tracestate"] == "congo=t61rcWkgMzE")
    #expect(recorder.events.first?.trace?.parentSpanID == "00f067aa0ba902b7")
  }

  @Test(
    arguments: [
      (nil, "https://api.example.com/other", true), (nil, "https://api.example.com:8443/", false),
      (nil, "http://api.example.com/", false), (nil, "https://example.com/", false),
      (["https://example.com"], "https://example.com/a", true),
      (["https://example.com"], "https://api.example.com/", false),
      ([], "https://api.example.com/", false),
    ] as [([String]?, String, Bool)])
  func `only declared origins are told`(origins: [String]?, url: String, isTold: Bool) async throws {
    let transport = answering(.status(200))
    let tracing = Tracing(origins: origins?.compactMap { URL(string: $0) })
    try await client(transport, tracing).send(Endpoint<Void>(url: try #require(URL(string: url))))
    #expect(transport.requests[0].fields.contains("traceparent") == isTold)
    #expect(recorder.events.allSatisfy { $0.trace != nil })
  }

  @Test func `a request's own traceparent is kept`() async throws {
    let transport = answering(.status(200))
    try await client(transport).send(Endpoint<Void>(path: "a", fields: ["traceparent": example]))
    #expect(transport.requests[0].fields[values: "traceparent"] == [example])
  }

  @Test func `off by default`() async throws {
    let transport = answering(.status(200))
    try await client(transport) { $0.tracing = nil }.send(call)
    #expect(!transport.requests[0].fields.contains("traceparent"))
    #expect(recorder.events.allSatisfy { $0.trace == nil })
  }

  @Test func `log lines have the trace's identifier`() async throws {
    let sink = MemorySink()
    try await client(answering(.status(200))) { $0.observers = [HTTPLog(level: .info, sink: sink)] }.send(call)
    #expect(
      sink.messages == ["[1 GetWidget 00000000000000010000000000000002] ← 200 OK in 0.0 ms, 0 bytes"])
  }

  @Test func `a replay after a refusal has a span of its own, and calls that share an exchange are equal`() async throws
  {
    let store = MemoryCredentialStore(BearerCredentials(accessToken: "old"))
    let authenticator = BearerAuthenticator(store: store, origins: [exampleURL]) { _ in
      BearerCredentials(accessToken: "new")
    }
    let transport = ClosureTransport { .status($0.fields[.authorization] == "Bearer new" ? 200 : 401) }
    try await client(transport) {
      $0.authenticator = authenticator
      $0.coalescesCalls = true
    }.send(call)
    #expect(Set(transport.requests.map { $0.fields["traceparent"] }).count == 2)
  }
}
