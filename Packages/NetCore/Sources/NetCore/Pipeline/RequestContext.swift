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
  /// When the call must have ended, on the client's ``TimeSource/elapsed``; `nil` for no limit.
  public var deadline: Duration?
  /// How the caller wants the body.
  public var delivery: Delivery
  /// How stored responses are used.
  public var cacheMode: CacheMode
  let events: EventEmitter

  /// A context, for tests of a transport or a middleware.
  public init(
    endpointName: String = "request", attempt: Int = 1, deadline: Duration? = nil,
    delivery: Delivery = .streaming, cacheMode: CacheMode = .standard
  ) {
    self.init(
      endpointName: endpointName, attempt: attempt, deadline: deadline, delivery: delivery, cacheMode: cacheMode,
      events: EventEmitter())
  }

  init(
    endpointName: String, attempt: Int = 1, deadline: Duration?, delivery: Delivery, cacheMode: CacheMode,
    events: EventEmitter
  ) {
    self.endpointName = endpointName
    self.attempt = attempt
    self.deadline = deadline
    self.delivery = delivery
    self.cacheMode = cacheMode
    self.events = events
  }

  /// Tells the call's observers what a stage did, such as a retry of the caller's own middleware.
  public func report(_ event: CallEvent.Kind) {
    events.emit(event, endpointName: endpointName, attempt: attempt)
  }
}
