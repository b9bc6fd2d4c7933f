/// What the stages of a pipeline know about the call beside its request.
public struct RequestContext: Sendable {
  /// How the caller wants the body.
  public enum Delivery: Sendable, Hashable {
    /// In memory, up to so many bytes: the pipeline reads it inside the attempt.
    case collected(upTo: Int)
    /// As it arrives: the caller reads it.
    case streaming
  }

  private struct Parts {
    var endpointName: String
    var attempt: Int
    var delivery: Delivery
    var cacheMode: CacheMode
    var ownDeadline: Duration?
    var flightDeadline: FlightDeadline?
    var credentialScope: CredentialScope?
    var retryPolicy: CopyOnWrite<RetryPolicy>?
    var redirectPolicy: CopyOnWrite<RedirectPolicy>?
    var trace: CopyOnWrite<TraceContext>?
    var events: EventEmitter?
    var interruption: Interruption?
    var mayShareFlight = true
    var hasOwnCookies = false
  }

  private var parts: CopyOnWrite<Parts>

  /// A context, for tests of a transport or a middleware.
  public init(
    endpointName: String = "request", attempt: Int = 1, deadline: Duration? = nil,
    delivery: Delivery = .streaming, cacheMode: CacheMode = .standard
  ) {
    parts = CopyOnWrite(
      Parts(
        endpointName: endpointName, attempt: attempt, delivery: delivery, cacheMode: cacheMode,
        ownDeadline: deadline))
  }

  /// The call's name in logs and errors.
  public var endpointName: String {
    get { parts.value.endpointName }
    set { parts.value.endpointName = newValue }
  }

  /// Which attempt of the call this is, from 1.
  public var attempt: Int {
    get { parts.value.attempt }
    set { parts.value.attempt = newValue }
  }

  /// When the call must have ended, on the client's ``TimeSource/elapsed``; `nil` for no limit. Of several calls that share
  /// a flight it is the latest.
  public var deadline: Duration? {
    get { parts.value.flightDeadline?.latest ?? parts.value.ownDeadline }
    set { (parts.value.ownDeadline, parts.value.flightDeadline) = (newValue, nil) }
  }

  /// How the caller wants the body.
  public var delivery: Delivery {
    get { parts.value.delivery }
    set { parts.value.delivery = newValue }
  }

  /// How stored responses are used.
  public var cacheMode: CacheMode {
    get { parts.value.cacheMode }
    set { parts.value.cacheMode = newValue }
  }

  /// Whose credentials the request carries; `nil` for none.
  public var credentialScope: CredentialScope? {
    get { parts.value.credentialScope }
    set { parts.value.credentialScope = newValue }
  }

  /// The request's own policy for retries; `nil` for the client's.
  public var retryPolicy: RetryPolicy? {
    get { parts.value.retryPolicy?.value }
    set { parts.value.retryPolicy = newValue.map(CopyOnWrite.init) }
  }

  /// The request's own policy for redirects; `nil` for the client's.
  public var redirectPolicy: RedirectPolicy? {
    get { parts.value.redirectPolicy?.value }
    set { parts.value.redirectPolicy = newValue.map(CopyOnWrite.init) }
  }

  /// Whether the call may share the flight of an equal one.
  public var mayShareFlight: Bool {
    get { parts.value.mayShareFlight }
    set { parts.value.mayShareFlight = newValue }
  }

  /// Where in a distributed trace the call is, and an attempt once it has begun; `nil` on a client without
  /// ``HTTPClient/Configuration/tracing``.
  public internal(set) var trace: TraceContext? {
    get { parts.value.trace?.value }
    set { parts.value.trace = newValue.map(CopyOnWrite.init) }
  }

  /// Whether the request's cookies are the caller's own, and not those of the client's jar.
  var hasOwnCookies: Bool {
    get { parts.value.hasOwnCookies }
    set { parts.value.hasOwnCookies = newValue }
  }

  var flightDeadline: FlightDeadline? {
    get { parts.value.flightDeadline }
    set { parts.value.flightDeadline = newValue }
  }

  /// What ends the call or its attempt, when no task does.
  var interruption: Interruption? {
    get { parts.value.interruption }
    set { parts.value.interruption = newValue }
  }

  var events: EventEmitter? {
    get { parts.value.events }
    set { parts.value.events = newValue }
  }

  /// Tells the call's observers what a stage did, such as a retry of the caller's own middleware. Without observers the
  /// event is not made.
  @inline(never)  // An event is large: it is not to be a part of what a stage holds while it waits.
  public func report(_ event: @autoclosure () -> CallEvent.Kind) {
    events?.emit(event(), endpointName: endpointName, attempt: attempt, trace: trace)
  }
}
