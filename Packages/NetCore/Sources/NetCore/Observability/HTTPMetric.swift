/// Something an ``HTTPMetrics`` measures. Names, units and bounds of buckets are those of OpenTelemetry's semantic conventions
/// for HTTP clients where they have one.
public struct HTTPMetric: Sendable, Hashable {
  /// What is done with values.
  public enum Kind: Sendable, Hashable {
    /// They are added up.
    case counter
    /// They are sorted into buckets with these upper bounds; a sink may choose others.
    case histogram(bounds: [Double])
  }

  /// The name, such as `http.client.request.duration`.
  public let name: String
  /// The unit in the notation of UCUM: `s`, `By`, `{retry}`.
  public let unit: String
  /// What it is, in a sentence.
  public let summary: String
  /// What is done with values.
  public let kind: Kind

  private static func duration(_ name: String, _ summary: String) -> HTTPMetric {
    let bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
    return HTTPMetric(name: name, unit: "s", summary: summary, kind: .histogram(bounds: bounds))
  }

  private static func size(_ name: String, _ summary: String) -> HTTPMetric {
    let bounds = [100, 1_000, 10_000, 100_000, 1e6, 1e7, 1e8, 1e9]
    return HTTPMetric(name: name, unit: "By", summary: summary, kind: .histogram(bounds: bounds))
  }

  private static func counter(_ name: String, of unit: String, _ summary: String) -> HTTPMetric {
    HTTPMetric(name: name, unit: "{\(unit)}", summary: summary, kind: .counter)
  }
}

extension HTTPMetric: CustomStringConvertible {
  /// The name, so that a sink that prints what it is given can be read.
  public var description: String { name }
}

extension HTTPMetric {
  /// `http.client.request.duration`, in seconds: each attempt until its response is there, or its failure.
  public static let requestDuration = duration("http.client.request.duration", "Duration of each attempt.")
  /// `http.client.request.body.size`, in bytes: the content each attempt sent, when its transport measures that.
  public static let requestBodySize = size("http.client.request.body.size", "Content sent by each attempt.")
  /// `http.client.response.body.size`, in bytes: the content each attempt received, before decoding, when its transport
  /// measures that.
  public static let responseBodySize = size("http.client.response.body.size", "Content received by each attempt.")
  /// `netcore.client.call.duration`, in seconds: each call from its beginning to its end, with all attempts and waits.
  public static let callDuration = duration("netcore.client.call.duration", "Duration of each call.")
  /// `netcore.client.retries`: attempts that were repeated.
  public static let retries = counter("netcore.client.retries", of: "retry", "Attempts that were repeated.")
  /// `netcore.client.retry.wait`, in seconds: the waits before attempts were repeated.
  public static let retryWait = duration("netcore.client.retry.wait", "Waits before attempts were repeated.")
  /// `netcore.client.queue.wait`, in seconds: how long attempts waited for their turn under the client's own limits.
  public static let queueWait = duration("netcore.client.queue.wait", "Waits under the client's own limits.")
  /// `netcore.client.credentials.wait`, in seconds: how long attempts waited for credentials.
  public static let credentialWait = duration("netcore.client.credentials.wait", "Waits for credentials.")
  /// `netcore.client.coalesced`: calls that joined the exchange of an equal one.
  public static let coalescedCalls = counter("netcore.client.coalesced", of: "call", "Calls that shared an exchange.")
  /// `netcore.client.cache`: what the client's cache did for calls, by `netcore.cache.outcome`: `hit`, `stale hit`,
  /// `revalidated`, `miss`, `bypass`.
  public static let cacheOutcomes = counter("netcore.client.cache", of: "call", "What the cache did for calls.")
  /// `netcore.client.redirects`: redirects that were followed, by `http.response.status_code`.
  public static let redirects = counter("netcore.client.redirects", of: "redirect", "Redirects that were followed.")
  /// `netcore.client.circuit.changes`: how often a circuit breaker changed its mind about a host, by `netcore.circuit.state`
  /// and `netcore.origin`.
  public static let circuitChanges = counter("netcore.client.circuit.changes", of: "change", "Changes of circuits.")

  /// All of them, for a sink that makes its instruments beforehand.
  public static let all = [
    requestDuration, requestBodySize, responseBodySize, callDuration, retries, retryWait, queueWait,
    credentialWait, coalescedCalls, cacheOutcomes, redirects, circuitChanges,
  ]
}
