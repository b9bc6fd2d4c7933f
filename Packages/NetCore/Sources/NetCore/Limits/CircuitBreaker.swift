/// Stops asking a host that fails: when too many calls of late have failed, further ones fail at once for a while; then a few
/// probes find out whether the host is well again.
///
///     configuration.circuitBreaker = CircuitBreaker()
///
/// It counts exchanges, host by host (one origin: scheme, host and port). A failure is no response for a reason that may be
/// the host's (no connection, a broken one, a time limit, a malformed response), and each response that ``isFailure`` says.
/// What was cancelled by its caller counts neither way, and neither does a device without a network or a request that was
/// never sent.
///
/// While the circuit is open, calls throw an ``APIError`` of kind ``APIError/Kind/rejected(_:)``, whose
/// ``APIError/retryAfter`` says how long it stays open. A ``RetryPolicy`` waits for that, if it is before the call's time
/// limit.
public struct CircuitBreaker: Sendable {
  /// The share of failures that opens the circuit, above 0 and up to 1. Default: 0.5.
  public var failureShare = 0.5
  /// How far back exchanges count. Default: 30 seconds.
  public var window = Duration.seconds(30)
  /// The least number of exchanges in the ``window`` from which to judge, 1 or more. Default: 20.
  public var minimumCalls = 20
  /// How long the circuit stays open before probes are let through. Default: 15 seconds.
  public var openTime = Duration.seconds(15)
  /// How many probes must succeed for the circuit to close, 1 or more; no more than these run at a time. One that fails
  /// opens it again. Default: 1.
  public var probes = 1
  /// Whether a response is a failure. Default: statuses from 500 to 599. It should not say so of a 429, by which a host that
  /// is well defends itself.
  public var isFailure: @Sendable (HTTPResponse) -> Bool = { $0.status.kind == .serverError }

  /// Settings with everything at its default.
  public init() {}

  /// What becomes of calls to a host.
  public enum State: String, Sendable, Hashable {
    /// They go through.
    case closed
    /// They are rejected.
    case open
    /// A few probes go through, the others are rejected.
    case halfOpen = "half open"
  }
}

extension CircuitBreaker {
  /// What an exchange tells about its host.
  enum Verdict: Sendable {
    case success
    case failure
    /// Nothing.
    case nothing
  }

  /// What the outcome of an exchange tells. A body that breaks on its way is a failed outcome, too.
  func verdict(on outcome: Result<HTTPResponse, any Error>) -> Verdict {
    switch outcome {
    case .success(let response): isFailure(response) ? .failure : .success
    case .failure(let error as APIError): verdict(on: error.kind)
    case .failure: .nothing
    }
  }

  private func verdict(on kind: APIError.Kind) -> Verdict {
    switch kind {
    case .transport(.offline), .invalidURL, .invalidRequest, .unsupported, .rejected: .nothing
    case .transport, .notHTTP: .failure
    default: .success
    }
  }
}
