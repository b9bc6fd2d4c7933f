import Synchronization

/// The latest deadline of the calls that share a flight.
final class FlightDeadline: Sendable {
  private let moment: Mutex<Duration?>

  init(_ first: Duration?) {
    moment = Mutex(first)
  }

  /// The latest deadline; `nil` when a call has none.
  var latest: Duration? {
    moment.withLock { $0 }
  }

  /// Extends it for one more call.
  func extend(to deadline: Duration?) {
    moment.withLock { latest in
      if let current = latest { latest = deadline.map { max($0, current) } }
    }
  }
}
