/// Watches calls, such as an ``HTTPLog`` or an ``HTTPMetrics``. It is told in order, within the call, and must return
/// quickly.
public protocol CallObserver: Sendable {
  /// Something happened.
  func observe(_ event: CallEvent)
}
