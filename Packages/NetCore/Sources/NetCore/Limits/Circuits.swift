import Synchronization

/// The circuits of a client's hosts.
final class Circuits: Sendable {
  let settings: CircuitBreaker
  private let timeSource: TimeSource
  private let circuits: Mutex<OriginTable<Circuit>>

  init(_ settings: CircuitBreaker, timeSource: TimeSource) {
    self.settings = settings
    self.timeSource = timeSource
    circuits = Mutex(OriginTable(Circuit(settings)))
  }

  /// Throws the rejection that an exchange with `origin` would meet, and lets nothing through.
  func check(_ origin: Origin) throws {
    let rejection: Circuit.Rejection? = circuits.withLock { circuits in
      guard let circuit = circuits[origin], circuit.state != .closed else { return nil }
      return circuit.rejection(at: timeSource.elapsed)
    }
    if let rejection { throw APIError.circuitOpen(origin, wait: rejection.wait) }
  }

  /// Lets an exchange with `origin` through, or throws its rejection.
  func enter(_ origin: Origin, _ context: RequestContext) throws -> Circuit.Ticket {
    do {
      return try change(origin, context) { circuit, moment in try circuit.enter(at: moment) }
    } catch let rejection as Circuit.Rejection {
      throw APIError.circuitOpen(origin, wait: rejection.wait)
    }
  }

  /// Notes what came of an exchange with `origin`.
  func leave(_ origin: Origin, _ ticket: Circuit.Ticket, _ verdict: CircuitBreaker.Verdict, _ context: RequestContext) {
    change(origin, context) { circuit, moment in circuit.leave(ticket, verdict, at: moment) }
  }

  /// Changes a circuit, and tells the call's observers when its state is another one then.
  private func change<Result: Sendable>(
    _ origin: Origin, _ context: RequestContext, _ body: @Sendable (inout Circuit, Duration) throws -> Result
  ) rethrows -> Result {
    let now = timeSource.elapsed
    let (result, change) = try circuits.withLock { circuits in
      try circuits.update(origin, at: now) { circuit in
        let before = circuit.state
        let result = try body(&circuit, now)
        return (result, circuit.state == before ? nil : circuit.state)
      }
    }
    if let change { context.report(.circuit(change, origin: "\(origin)")) }
    return result
  }
}
