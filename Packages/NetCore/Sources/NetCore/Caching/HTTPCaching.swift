/// A cache that a client puts at its place in the pipeline: above the retries, so that a hit needs none, and below what
/// callers share.
///
/// It tells what it did by ``ExchangeInfo/cache`` and ``CallEvent/Kind/cache(_:)``. The kit NetCache has one.
public protocol HTTPCaching: Sendable {
  /// The stage of a client's pipeline. Several clients may use one cache.
  func stage(in client: ClientServices) -> any HTTPMiddleware
}
