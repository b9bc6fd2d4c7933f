/// What the stages of a pipeline know about the call beside its request.
public struct RequestContext: Sendable {
  /// How the caller wants the body.
  public enum Delivery: Sendable, Hashable {
    /// In memory, up to so many bytes: the pipeline reads it inside the attempt.
    case collected(upTo: Int)
    /// As it arrives: the caller reads it.
    case streaming
  }

  /// The call's name in logs and errors.
  public var endpointName: String
  /// Which attempt of the call this is, from 1.
  public var attempt: Int
  /// When the call must have ended, on the client's ``TimeSource/elapsed``; `nil` for no limit. Of several calls that share
  /// a flight it is the latest.
  public var deadline: Duration? {
    get { flightDeadline?.latest ?? ownDeadline }
    set { (ownDeadline, flightDeadline) = (newValue, nil) }
  }
  /// How the caller wants the body.
  public var delivery: Delivery
  /// How stored responses are used.
  public var cacheMode: CacheMode
  /// Whose credentials the request carries; `nil` for none.
  public var credentialScope: CredentialScope?
  /// The request's own policy for retries; `nil` for the client's.
  public var retryPolicy: RetryPolicy? {
    get { boxedRetryPolicy.value }
    set { boxedRetryPolicy.value = newValue }
  }
  /// The request's own policy for redirects; `nil` for the client's.
  public var redirectPolicy: RedirectPolicy? {
    get { boxedRedirectPolicy.value }
    set { boxedRedirectPolicy.value = newValue }
  }
  /// Whether the call may share the flight of an equal one.
  public var mayShareFlight = true
  /// Whether the request's cookies are the caller's own, and not those of the client's jar.
  var hasOwnCookies = false
  var flightDeadline: FlightDeadline?
  /// Where in a distributed trace the call is, and an attempt once it has begun; `nil` on a client without
  /// ``HTTPClient/Configuration/tracing``.
  public internal(set) var trace: TraceContext? {
    get { boxedTrace.value }
    set { boxedTrace.value = newValue }
  }
  var events: EventEmitter?
  private var ownDeadline: Duration?
  private var boxedRetryPolicy = Boxed<RetryPolicy>()
  private var boxedRedirectPolicy = Boxed<RedirectPolicy>()
  private var boxedTrace = Boxed<TraceContext>()

  /// A context, for tests of a transport or a middleware.
  public init(
    endpointName: String = "request", attempt: Int = 1, deadline: Duration? = nil,
    delivery: Delivery = .streaming, cacheMode: CacheMode = .standard
  ) {
    self.endpointName = endpointName
    self.attempt = attempt
    self.delivery = delivery
    self.cacheMode = cacheMode
    ownDeadline = deadline
  }

  /// Tells the call's observers what a stage did, such as a retry of the caller's own middleware. Without observers the
  /// event is not made.
  public func report(_ event: @autoclosure () -> CallEvent.Kind) {
    events?.emit(event(), endpointName: endpointName, attempt: attempt, trace: trace)
  }
}
