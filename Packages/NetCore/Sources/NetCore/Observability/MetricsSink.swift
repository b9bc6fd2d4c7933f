/// Where measurements go: a bridge to the metrics library of an app.
///
/// Both functions may come from any thread and must return quickly. Each metric is a counter or a histogram, always the same.
public protocol MetricsSink: Sendable {
  /// Adds to a counter, in the series of these labels.
  func add(_ amount: Int, to counter: HTTPMetric, labels: [String: String])

  /// Records a value in a histogram, in the series of these labels.
  func record(_ value: Double, in histogram: HTTPMetric, labels: [String: String])
}
