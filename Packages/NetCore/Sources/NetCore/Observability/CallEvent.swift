/// Something that happened in a call, for whoever watches: logs, metrics, a trace.
///
/// The events of a call begin with ``Kind/started(_:)`` and end with ``Kind/finished(_:)``. In between each attempt has a
/// ``Kind/request(_:)`` and then its response or failure, and the other stages say what they do.
public struct CallEvent: Sendable {
  /// What happened.
  public enum Kind: Sendable {
    /// The call begins, with its request before any stage has changed it. A request that is not valid begins nothing: such
    /// a call only finishes.
    case started(HTTPRequest)
    /// An attempt sends this request.
    case request(HTTPRequest)
    /// An attempt's response is there, with its whole body when that is collected; to which request, and so long after it.
    case response(HTTPResponse, to: HTTPRequest, after: Duration)
    /// An attempt failed so long after its request; a cancelled one fails with `CancellationError`.
    case attemptFailed(any Error, of: HTTPRequest, after: Duration)
    /// The call joined the exchange of an equal one.
    case coalesced
    /// The client's cache answers, or lets the network answer; a response from the network has come by then.
    case cache(CacheOutcome)
    /// The request will be sent again after a wait, and why.
    case retry(reason: String, wait: Duration)
    /// A failure that the retry policy repeats is not repeated this time, and why.
    case notRetried(reason: String)
    /// The response redirects to another URL, which is asked for next.
    case redirected(Redirect)
    /// The attempt waited so long for its credentials, which were loaded or due for renewal.
    case awaitedCredentials(for: Duration)
    /// The server refused the credentials; after so long there are new ones, with which the request is sent again.
    case renewedCredentials(after: Duration)
    /// An attempt waited so long for its turn under the client's own limits (``ConcurrencyLimit``, ``RateLimit``), whether it
    /// came or not.
    case queued(for: Duration)
    /// The ``CircuitBreaker`` treats the host (scheme, host and port) in another way from now on.
    case circuit(CircuitBreaker.State, origin: String)
    /// The call ended; one whose body is read as it arrives ends with that.
    case finished(CallOutcome)
  }

  /// Numbers the calls of one client, from 1.
  public let call: Int
  /// The call's name.
  public let endpointName: String
  /// The attempt the event belongs to, from 1.
  public let attempt: Int
  /// When it happened, on the client's ``TimeSource/elapsed``.
  public let elapsed: Duration
  /// Where in a distributed trace it happened: in an attempt once that has begun, before in the call. `nil` on a client
  /// without ``HTTPClient/Configuration/tracing``.
  public let trace: TraceContext?
  /// What happened.
  public let kind: Kind

  /// An event, as tests of an observer make one.
  public init(
    _ kind: Kind, call: Int = 1, endpointName: String = "request", attempt: Int = 1, elapsed: Duration = .zero,
    trace: TraceContext? = nil
  ) {
    self.kind = kind
    self.call = call
    self.endpointName = endpointName
    self.attempt = attempt
    self.elapsed = elapsed
    self.trace = trace
  }
}
