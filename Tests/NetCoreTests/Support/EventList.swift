import NetCore
import Synchronization

/// Keeps the events of a client's calls.
final class EventList: CallObserver {
  private let events = Mutex<[CallEvent]>([])

  var all: [CallEvent] { events.withLock { $0 } }

  /// How long attempts waited for their turns.
  var waits: [Duration] {
    all.compactMap { if case .queued(let wait) = $0.kind { wait } else { nil } }
  }

  /// What became of circuits.
  var circuits: [CircuitBreaker.State] {
    all.compactMap { if case .circuit(let state, _) = $0.kind { state } else { nil } }
  }

  func observe(_ event: CallEvent) {
    events.withLock { $0.append(event) }
  }
}
