/// Hands a call's events to its observers. A call that nobody watches has none.
final class EventEmitter: Sendable {
  private let call: Int
  private let observers: [any CallObserver]
  private let timeSource: TimeSource

  /// `nil` when there are no observers.
  init?(call: Int, observers: [any CallObserver], timeSource: TimeSource = .system) {
    guard !observers.isEmpty else { return nil }
    self.call = call
    self.observers = observers
    self.timeSource = timeSource
  }

  /// The same observers' emitter for another call.
  func emitter(forCall call: Int) -> EventEmitter? {
    EventEmitter(call: call, observers: observers, timeSource: timeSource)
  }

  func emit(_ kind: CallEvent.Kind, endpointName: String, attempt: Int, trace: TraceContext?) {
    let event = CallEvent(
      kind, call: call, endpointName: endpointName, attempt: attempt, elapsed: timeSource.elapsed, trace: trace)
    for observer in observers { observer.observe(event) }
  }
}
