public import NetCore
import Synchronization

/// Keeps measurements in memory, for tests of what is measured.
///
///     let metrics = MemoryMetrics()
///     configuration.observers = [HTTPMetrics(sink: metrics)]
///     …
///     #expect(metrics.total(of: .retries) == 2)
///     #expect(metrics.values(of: .requestDuration, where: ["http.response.status_code": "503"]).count == 2)
public final class MemoryMetrics: MetricsSink {
  /// A value that was added to a counter or recorded in a histogram.
  public struct Measurement: Sendable, Hashable {
    /// What was measured.
    public let metric: HTTPMetric
    /// The value.
    public let value: Double
    /// In which series.
    public let labels: [String: String]

    /// A measurement, to compare with.
    public init(_ metric: HTTPMetric, _ value: Double, labels: [String: String] = [:]) {
      self.metric = metric
      self.value = value
      self.labels = labels
    }
  }

  private let kept = Mutex<[Measurement]>([])

  /// No measurements yet.
  public init() {}

  /// All measurements, in the order they came.
  public var measurements: [Measurement] { kept.withLock { $0 } }

  /// The values of a metric in the series that have these labels, and maybe others.
  public func values(of metric: HTTPMetric, where labels: [String: String] = [:]) -> [Double] {
    measurements.filter { measurement in
      measurement.metric == metric && labels.allSatisfy { measurement.labels[$0.key] == $0.value }
    }.map(\.value)
  }

  /// The sum of a metric's values in the series that have these labels, and maybe others.
  public func total(of metric: HTTPMetric, where labels: [String: String] = [:]) -> Double {
    values(of: metric, where: labels).reduce(0, +)
  }

  /// Keeps `amount`.
  public func add(_ amount: Int, to counter: HTTPMetric, labels: [String: String]) {
    record(Double(amount), in: counter, labels: labels)
  }

  /// Keeps `value`.
  public func record(_ value: Double, in histogram: HTTPMetric, labels: [String: String]) {
    kept.withLock { $0.append(Measurement(histogram, value, labels: labels)) }
  }
}
