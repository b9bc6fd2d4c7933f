import CMeasure

/// Sends the requests of a command line and prints one line of JSON with what they took.
public struct Benchmark: Sendable {
  /// Sends one request, and returns how many bytes of content went through.
  public typealias Operation = @Sendable () async throws -> Int

  private let options: Options
  private let operation: Operation

  /// A benchmark of `operation`.
  public init(_ options: Options, _ operation: @escaping Operation) {
    self.options = options
    self.operation = operation
  }

  /// Warms up, measures and prints.
  ///
  /// - Parameter details: More members for the line, such as `, "protocol": "HTTP/2"`.
  public func run(details: () -> String = { "" }) async {
    if options.mode == .heap { return await watchHeap() }
    _ = await send(options.warmUp)
    let started = ContinuousClock.now
    let result = await send(options.requests)
    let seconds = started.duration(to: .now) / .seconds(1)
    let latencies = result.latencies.sorted()
    let last = max(latencies.count - 1, 0)
    func percentile(_ share: Int) -> Double {
      latencies.isEmpty ? 0 : latencies[min(last, latencies.count * share / 100)] / .microseconds(1)
    }
    print(
      """
      {"requests": \(options.requests), "failures": \(result.failures), "seconds": \(seconds), \
      "bytes": \(result.bytes), "p50": \(percentile(50)), "p99": \(percentile(99)), \
      "peak": \(measure_peak_memory())\(details())}
      """)
  }

  /// Compares the live heap after 10,000 requests with that after all of them.
  private func watchHeap() async {
    let early = 10_000
    _ = await send(early)
    let heapEarly = measure_live_heap()
    let result = await send(options.requests - early)
    print(
      """
      {"requests": \(options.requests), "failures": \(result.failures), "heapEarly": \(heapEarly), \
      "heapLate": \(measure_live_heap()), "peak": \(measure_peak_memory())}
      """)
  }

  private struct Outcome: Sendable {
    var latencies: [Duration] = []
    var bytes = 0
    var failures = 0
  }

  /// Sends `count` requests: each of the workers begins one as soon as its last has ended.
  private func send(_ count: Int) async -> Outcome {
    let begun = Counter()
    return await withTaskGroup(of: Outcome.self) { group in
      for _ in 0..<min(options.inFlight, count) {
        group.addTask { await work(until: count, begun: begun) }
      }
      return await group.reduce(into: Outcome()) { total, part in
        total.latencies += part.latencies
        total.bytes += part.bytes
        total.failures += part.failures
      }
    }
  }

  private func work(until count: Int, begun: Counter) async -> Outcome {
    var outcome = Outcome()
    if options.mode != .heap { outcome.latencies.reserveCapacity(2 * count / options.inFlight) }
    while begun.next() <= count {
      let started = ContinuousClock.now
      do {
        outcome.bytes += try await operation()
      } catch {
        if outcome.failures == 0 { print("failed: \(error)") }
        outcome.failures += 1
      }
      if options.mode != .heap { outcome.latencies.append(started.duration(to: .now)) }
    }
    return outcome
  }
}
