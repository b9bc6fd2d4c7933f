import Foundation
import NetCore
import NetTesting
import Testing

private let call = Endpoint<Widget>(path: "widgets/1", name: "GetWidget")

@Suite(.timeLimit(.minutes(1))) struct HTTPMetricsTests {
  private let clock = TestClock()
  private let metrics = MemoryMetrics()

  private func client(
    _ transport: any HTTPTransport, _ configure: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) -> HTTPClient {
    makeClient(transport) {
      $0.timeSource = clock.timeSource
      $0.observers = [HTTPMetrics(sink: metrics)]
      configure(&$0)
    }
  }

  @Test func `attempts, waits and the call are measured, with OpenTelemetry's names`() async throws {
    let transport = ClosureTransport { [clock] request in
      clock.advance(by: .milliseconds(250))
      if request.attempt == 1 { return .status(503, fields: [.retryAfter: "0"]) }
      var response = HTTPResponse.json(#"{"id": 1, "name": "a"}"#)
      response.info.timings = ExchangeInfo.Timings(
        firstByte: .milliseconds(1), total: .milliseconds(2), bytesSent: 3, bytesReceived: 22, protocolName: "HTTP/2")
      return response
    }
    _ = try await client(transport) { $0.retry = .standard }.send(call)
    let common = [
      "netcore.endpoint": "GetWidget", "http.request.method": "GET", "server.address": "api.example.com",
      "server.port": "443",
    ]
    let failed = ["http.response.status_code": "503", "error.type": "503"]
    let succeeded = ["http.response.status_code": "200", "network.protocol.version": "2"]
    func labels(_ more: [String: String]) -> [String: String] { common.merging(more) { $1 } }
    #expect(
      metrics.measurements == [
        .init(.requestDuration, 0.25, labels: labels(failed)),
        .init(.retries, 1, labels: ["netcore.endpoint": "GetWidget"]),
        .init(.retryWait, 0, labels: ["netcore.endpoint": "GetWidget"]),
        .init(.requestDuration, 0.25, labels: labels(succeeded)),
        .init(.requestBodySize, 3, labels: labels(succeeded)),
        .init(.responseBodySize, 22, labels: labels(succeeded)),
        .init(.callDuration, 0.5, labels: labels(["http.response.status_code": "200"])),
      ])
    #expect(metrics.total(of: .requestDuration, where: ["server.port": "443"]) == 0.5)
    #expect(HTTPMetric.requestDuration.name == "http.client.request.duration")
    #expect("\(HTTPMetric.requestDuration)" == "http.client.request.duration")
    #expect(HTTPMetric.requestDuration.unit == "s")
    #expect(Set(HTTPMetric.all.map(\.name)).count == HTTPMetric.all.count)
  }

  @Test(
    arguments: [
      (APIError.transport(.connectionRefused), "transport(.connectionRefused)"),
      (APIError.timedOut(.connect), "transport(.timedOut(.connect))"), (CancellationError(), "cancelled"),
      (CocoaError(.fileNoSuchFile), "CocoaError"),
    ] as [(any Error, String)])
  func `an error is a word of a bounded vocabulary`(error: any Error, word: String) async throws {
    _ = try? await client(ClosureTransport { _ in throw error }).send(call)
    #expect(metrics.values(of: .requestDuration, where: ["error.type": word]).count == 1)
    #expect(metrics.values(of: .callDuration, where: ["error.type": word]).count == 1)
  }

  @Test func `a status that fails the call is its error, and so is a content that cannot be read`() async throws {
    _ = try? await client(answering(.status(404))).send(call)
    _ = try? await client(answering(.json("[]"))).send(call)
    #expect(metrics.values(of: .callDuration, where: ["error.type": "404"]).count == 1)
    let unread = ["error.type": "decoding", "http.response.status_code": "200"]
    #expect(metrics.values(of: .callDuration, where: unread).count == 1)
  }

  @Test func `a request that could not be made is a call without a server`() async throws {
    _ = try? await client(answering(.status(200))).send(Endpoint<Void>(path: "..", name: "Up"))
    #expect(metrics.measurements.map(\.labels) == [["netcore.endpoint": "Up", "error.type": "invalidURL"]])
  }

  @Test func `labels are bounded, whatever is asked for`() async throws {
    let metrics = MemoryMetrics()
    let client = makeClient(answering(.status(200))) {
      $0.observers = [HTTPMetrics(sink: metrics, maximumValues: 10)]
    }
    for number in 0..<50 {
      let url = try #require(URL(string: "https://host\(number).example:81/secret?q=secret"))
      try await client.send(Endpoint<Void>(url: url, name: "name \(number)"))
    }
    try await client.send(Endpoint<Void>("PURGE", path: "a", name: "purge"))
    func values(_ label: String) -> Set<String> { Set(metrics.measurements.compactMap { $0.labels[label] }) }
    #expect(values("server.address").count == 11)
    #expect(values("netcore.endpoint").count == 11)
    #expect(values("server.address").contains("_OTHER"))
    #expect(values("http.request.method") == ["GET", "_OTHER"])
    #expect(!metrics.measurements.contains { $0.labels.values.contains { $0.contains("secret") } })
  }

  @Test func `queues, redirects and circuits are counted`() throws {
    let url = try #require(URL(string: "https://h/secret"))
    let observer = HTTPMetrics(sink: metrics)
    let kinds: [CallEvent.Kind] = [
      .queued(for: .milliseconds(500)), .redirected(Redirect(status: 307, from: url, to: url)),
      .circuit(.halfOpen, origin: "https://h:443"),
    ]
    for kind in kinds { observer.observe(CallEvent(kind, endpointName: "GetWidget")) }
    #expect(
      metrics.measurements == [
        .init(.queueWait, 0.5, labels: ["netcore.endpoint": "GetWidget"]),
        .init(.redirects, 1, labels: ["netcore.endpoint": "GetWidget", "http.response.status_code": "307"]),
        .init(.circuitChanges, 1, labels: ["netcore.circuit.state": "half open", "netcore.origin": "https://h:443"]),
      ])
  }

  @Test func `calls that share an exchange are counted`() async throws {
    let gate = ScriptedBody()
    let client = client(answering(HTTPResponse(body: gate.body))) { $0.coalescesCalls = true }
    async let one = client.send(Endpoint<Data>(path: "a", name: "A"))
    async let two = client.send(Endpoint<Data>(path: "a", name: "A"))
    while metrics.values(of: .coalescedCalls).isEmpty, !Task.isCancelled { await Task.yield() }
    gate.finish()
    _ = try await (one, two)
    #expect(metrics.values(of: .coalescedCalls) == [1])
    #expect(metrics.values(of: .requestDuration).count == 1)
    #expect(metrics.values(of: .callDuration).count == 2)
  }
}
