/// What a stage has of the client it works in.
public struct ClientServices: Sendable {
  /// The client's time.
  public let timeSource: TimeSource
  private let supervisor: CallSupervisor

  init(timeSource: TimeSource, supervisor: CallSupervisor) {
    self.timeSource = timeSource
    self.supervisor = supervisor
  }

  /// The services of no client, for tests of a stage.
  public init(timeSource: TimeSource) {
    self.init(timeSource: timeSource, supervisor: CallSupervisor(timeSource: timeSource))
  }

  /// Starts `operation` beside the call of `context`, as a call of its own: with a number of its own in the events, a time
  /// limit of its own, and attempts that nobody counts as the call's.
  ///
  /// It is cancelled when its time is up, when the client is shut down in whichever mode, and when the client is dropped.
  /// What it throws is told to the observers and nobody else.
  ///
  /// - Parameters:
  ///   - request: What it asks for, as observers are told.
  ///   - context: The context of the call that has a use for it.
  ///   - timeout: How long it may take.
  ///   - operation: What to do, in the context it is given.
  /// - Returns: Whether it was started: a client that was shut down starts nothing.
  public func runInBackground(
    _ request: HTTPRequest, context: RequestContext, timeout: Duration,
    _ operation: @escaping @Sendable (RequestContext) async throws -> Void
  ) -> Bool {
    let started = timeSource.elapsed
    var own = context
    own.deadline = started + timeout
    own.attempt = 1
    own.interruption = nil
    own.events = own.events?.emitter(forCall: supervisor.nextCallNumber())
    return supervisor.runInBackground(until: started + timeout) { [own, timeSource] in
      own.report(.started(request))
      var outcome = CallOutcome(request: request)
      do {
        try await operation(own)
      } catch {
        outcome.error = error
      }
      outcome.duration = timeSource.elapsed - started
      own.report(.finished(outcome))
    }
  }
}
