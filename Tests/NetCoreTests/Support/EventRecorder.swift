import NetCore
import Synchronization

/// Keeps the events it is told of.
final class EventRecorder: CallObserver {
  private let kept = Mutex<[CallEvent]>([])

  var events: [CallEvent] { kept.withLock { $0 } }
  /// Each event's case and attempt: `request 1`.
  var story: [String] { events.map { "\($0.kind.word) \($0.attempt)" } }
  /// How the last call ended.
  var outcome: CallOutcome? {
    events.lazy.reversed().compactMap { if case .finished(let outcome) = $0.kind { outcome } else { nil } }.first
  }

  func observe(_ event: CallEvent) {
    kept.withLock { $0.append(event) }
  }
}

extension CallEvent.Kind {
  fileprivate var word: String {
    Mirror(reflecting: self).children.first?.label ?? "\(self)"
  }
}
