/// The state machine of a ``CircuitBreaker`` for one host. It has no clock: it is told the time.
struct Circuit {
  /// The permission for one exchange, to be handed in with what came of it.
  struct Ticket: Sendable {
    let isProbe: Bool
    /// How often the circuit had changed by then: an exchange from before the last change tells nothing about now.
    fileprivate let era: Int
  }

  /// Why an exchange must not begin.
  struct Rejection: Error, Equatable {
    /// How long until one may be let through; zero when that depends on probes under way.
    let wait: Duration
  }

  private enum Phase {
    case closed
    case open(until: Duration)
    case halfOpen(running: Int, succeeded: Int)
  }

  private let settings: CircuitBreaker
  private var phase = Phase.closed
  private var era = 0
  private var recent: RecentCalls

  init(_ settings: CircuitBreaker) {
    self.settings = settings
    recent = RecentCalls(window: settings.window)
  }

  /// What becomes of calls; an open circuit stays open until somebody is let through.
  var state: CircuitBreaker.State {
    switch phase {
    case .closed: .closed
    case .open: .open
    case .halfOpen: .halfOpen
    }
  }

  /// Whether and why an exchange would be rejected.
  func rejection(at moment: Duration) -> Rejection? {
    switch phase {
    case .closed: nil
    case .open(let end): moment < end ? Rejection(wait: end - moment) : nil
    case .halfOpen(let running, let succeeded): running + succeeded < probes ? nil : Rejection(wait: .zero)
    }
  }

  /// Lets an exchange through. When the circuit has been open for its time, this one is a probe.
  mutating func enter(at moment: Duration) throws(Rejection) -> Ticket {
    if let rejection = rejection(at: moment) { throw rejection }
    switch phase {
    case .closed:
      return Ticket(isProbe: false, era: era)
    case .open:
      change(to: .halfOpen(running: 1, succeeded: 0))
    case .halfOpen(let running, let succeeded):
      phase = .halfOpen(running: running + 1, succeeded: succeeded)
    }
    return Ticket(isProbe: true, era: era)
  }

  /// Notes what came of an exchange.
  mutating func leave(_ ticket: Ticket, _ verdict: CircuitBreaker.Verdict, at moment: Duration) {
    guard ticket.era == era else { return }
    switch phase {
    case .closed:
      count(verdict, at: moment)
    case .open:
      break
    case .halfOpen(let running, let succeeded):
      switch verdict {
      case .nothing: phase = .halfOpen(running: running - 1, succeeded: succeeded)
      case .failure: open(at: moment)
      case .success where succeeded + 1 < probes: phase = .halfOpen(running: running - 1, succeeded: succeeded + 1)
      case .success: change(to: .closed)
      }
    }
  }

  private var probes: Int { max(settings.probes, 1) }

  private mutating func count(_ verdict: CircuitBreaker.Verdict, at moment: Duration) {
    guard verdict != .nothing else { return }
    recent.add(isFailure: verdict == .failure, at: moment)
    guard verdict == .failure else { return }
    let (calls, failures) = recent.totals(at: moment)
    if calls >= settings.minimumCalls, Double(failures) >= settings.failureShare * Double(calls) { open(at: moment) }
  }

  private mutating func open(at moment: Duration) {
    change(to: .open(until: moment + max(settings.openTime, .zero)))
  }

  private mutating func change(to phase: Phase) {
    self.phase = phase
    era += 1
    recent = RecentCalls(window: settings.window)
  }
}

extension Circuit: OriginState {
  var isInUse: Bool {
    if case .halfOpen(let running, _) = phase { running > 0 } else { false }
  }

  func isIdle(at moment: Duration) -> Bool {
    switch phase {
    case .closed: recent.totals(at: moment).calls == 0
    case .open(let end): moment >= end
    case .halfOpen: false
    }
  }
}
