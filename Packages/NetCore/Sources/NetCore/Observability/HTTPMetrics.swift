#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Measures calls: an observer that turns events into counters and histograms.
///
///     configuration.observers = [HTTPMetrics(sink: bridge)]
///
/// ``HTTPMetric`` lists what is measured. Labels are `http.request.method`, `server.address`, `server.port`,
/// `http.response.status_code`, `network.protocol.version` and `error.type`, as OpenTelemetry names them, and
/// `netcore.endpoint`, the call's name. No label holds a URL's path or query of its own; but the name of an ``Endpoint`` that
/// was given none is its path, so name those whose paths have values in them.
///
/// The values of each label are bounded: the first 100 hosts and the first 100 names are kept, any other is `_OTHER`, and so is
/// a method that RFC 9110 and RFC 5789 do not have.
public struct HTTPMetrics: CallObserver {
  private let sink: any MetricsSink
  private let endpoints: LabelLimit
  private let servers: LabelLimit

  /// Metrics that go to `sink`.
  ///
  /// - Parameters:
  ///   - sink: Where they go.
  ///   - maximumValues: The most hosts and the most names that labels tell apart. Default: 100.
  public init(sink: any MetricsSink, maximumValues: Int = 100) {
    self.sink = sink
    endpoints = LabelLimit(maximumValues)
    servers = LabelLimit(maximumValues)
  }

  /// Measures `event`.
  public func observe(_ event: CallEvent) {
    switch event.kind {
    case .started, .request, .notRetried:
      break
    case .response(let response, let request, let duration):
      var labels = labels(event, request)
      labels.add(response.status)
      labels.add(response.info.timings)
      record(duration, in: .requestDuration, labels)
      if let timings = response.info.timings {
        sink.record(Double(timings.bytesSent), in: .requestBodySize, labels: labels)
        sink.record(Double(timings.bytesReceived), in: .responseBodySize, labels: labels)
      }
    case .attemptFailed(let error, let request, let duration):
      var labels = labels(event, request)
      labels[Label.error] = errorType(error)
      record(duration, in: .requestDuration, labels)
    case .coalesced:
      sink.add(1, to: .coalescedCalls, labels: labels(event))
    case .cache(let outcome):
      var labels = labels(event)
      labels[Label.cache] = outcome.name
      sink.add(1, to: .cacheOutcomes, labels: labels)
    case .retry(_, let wait):
      sink.add(1, to: .retries, labels: labels(event))
      record(wait, in: .retryWait, labels(event))
    case .awaitedCredentials(let duration), .renewedCredentials(let duration):
      record(duration, in: .credentialWait, labels(event))
    case .queued(let duration):
      record(duration, in: .queueWait, labels(event))
    case .redirected(let redirect):
      var labels = labels(event)
      labels[Label.status] = "\(redirect.status.code)"
      sink.add(1, to: .redirects, labels: labels)
    case .circuit(let state, let origin):
      let origin = servers.allows(origin) ? origin : LabelLimit.other
      sink.add(1, to: .circuitChanges, labels: [Label.circuit: state.rawValue, Label.origin: origin])
    case .finished(let outcome):
      var labels = labels(event, outcome.request)
      if let status = outcome.status { labels.add(status) }
      if let error = outcome.error { labels[Label.error] = errorType(error) }
      record(outcome.duration, in: .callDuration, labels)
    }
  }

  private func record(_ duration: Duration, in histogram: HTTPMetric, _ labels: [String: String]) {
    sink.record(duration.inSeconds, in: histogram, labels: labels)
  }

  private func labels(_ event: CallEvent, _ request: HTTPRequest? = nil) -> [String: String] {
    let isKnown = endpoints.allows(event.endpointName)
    var labels = [Label.endpoint: isKnown ? event.endpointName.displayable(upTo: 100) : LabelLimit.other]
    guard let request else { return labels }
    labels[Label.method] = Self.methods.contains(request.method) ? request.method.rawValue : LabelLimit.other
    let host = request.url.host()?.lowercased() ?? ""
    let port = request.url.port ?? (request.url.scheme?.lowercased() == "https" ? 443 : 80)
    if servers.allows("\(host):\(port)") {
      labels[Label.server] = host
      labels[Label.port] = "\(port)"
    } else {
      labels[Label.server] = LabelLimit.other
    }
    return labels
  }

  private static let methods: Set<HTTPRequest.Method> = [
    .connect, .delete, .get, .head, .options, .patch, .post, .put, .trace,
  ]
}

extension HTTPMetrics: CustomStringConvertible {
  /// The sink's type.
  public var description: String { "HTTPMetrics to \(stageLine(sink))" }
}

private enum Label {
  static let endpoint = "netcore.endpoint"
  static let method = "http.request.method"
  static let server = "server.address"
  static let port = "server.port"
  static let status = "http.response.status_code"
  static let version = "network.protocol.version"
  static let error = "error.type"
  static let cache = "netcore.cache.outcome"
  static let circuit = "netcore.circuit.state"
  static let origin = "netcore.origin"
}

extension [String: String] {
  /// The status, which from 400 on is an error too.
  fileprivate mutating func add(_ status: HTTPResponse.Status) {
    self[Label.status] = "\(status.code)"
    if status.code >= 400 { self[Label.error] = "\(status.code)" }
  }

  /// What was spoken: `1.1`, `2`.
  fileprivate mutating func add(_ timings: ExchangeInfo.Timings?) {
    guard let name = timings?.protocolName, name.hasPrefix("HTTP/") else { return }
    self[Label.version] = String(name.dropFirst("HTTP/".count))
  }
}

/// What failed, as a word of a bounded vocabulary: a status, an ``APIError/Kind``, `cancelled`, or the type of an error that
/// is the caller's own.
private func errorType(_ error: any Error) -> String {
  switch error {
  case is CancellationError: "cancelled"
  case let error as APIError: error.isBadStatus ? "\(error.status?.code ?? 0)" : error.kind.name
  default: "\(type(of: error))"
  }
}
