/// How many exchanges of a client run at a time.
///
///     configuration.concurrencyLimit = ConcurrencyLimit(perHost: 8)
///
/// A call that finds no place waits for one, first come, first served; calls to a host that is full keep nobody else
/// waiting. A response that is read as it arrives holds its place until its body has ended or was dropped. A call keeps no
/// place between its attempts: not while it waits to retry, nor while its credentials are renewed.
public struct ConcurrencyLimit: Sendable, Hashable {
  /// The most exchanges with one host (one origin: scheme, host and port) at a time; `nil` for no limit.
  public let perHost: Int?
  /// The most exchanges of the client at a time; `nil` for no limit.
  public let total: Int?
  /// The most attempts that wait for a place at one host; one more fails at once.
  public let queue: Int

  /// A limit.
  ///
  /// - Parameters:
  ///   - perHost: The most exchanges with one host at a time, 1 or more; `nil` for no limit. Default: 6, as browsers do.
  ///   - total: The most exchanges of the client at a time, 1 or more. Default: no limit.
  ///   - queue: The most attempts that wait for a place at one host, 0 or more. One more fails at once with
  ///     ``APIError/Kind/rejected(_:)``. Default: 1,000.
  public init(perHost: Int? = 6, total: Int? = nil, queue: Int = 1_000) {
    self.perHost = perHost.map { max($0, 1) }
    self.total = total.map { max($0, 1) }
    self.queue = max(queue, 0)
  }
}
