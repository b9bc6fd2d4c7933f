import NetCore
import Synchronization

/// Keeps the events of a command's calls, for the waterfall.
final class CallRecorder: CallObserver {
  /// Of a command that makes thousands of calls nobody would read more.
  private static let maximumCount = 1_000

  private let kept = Mutex<[CallEvent]>([])

  var events: [CallEvent] { kept.withLock { $0 } }

  func observe(_ event: CallEvent) {
    kept.withLock { events in
      if events.count < Self.maximumCount { events.append(event) }
    }
  }
}
