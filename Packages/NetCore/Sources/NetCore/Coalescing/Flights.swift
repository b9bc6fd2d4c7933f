import Synchronization

/// The exchanges under way that calls may join. An entry is gone as soon as its exchange has ended or its last caller left.
final class Flights: Sendable {
  private let flights = Mutex<[FlightKey: Flight]>([:])

  /// Joins the flight of `key`, or starts it with `operation`, and waits for its end.
  ///
  /// - Throws: What `operation` throws, to everybody who waits; `CancellationError` at once to a caller whose task is
  ///   cancelled, or whose call is to end. The last caller who leaves cancels the flight.
  func join(
    _ key: FlightKey, for context: RequestContext,
    _ operation: @escaping @Sendable (FlightDeadline) async throws -> HTTPResponse, onJoining: () -> Void
  ) async throws -> HTTPResponse {
    let deadline = context.deadline
    let (flight, number, isNew) = flights.withLock { flights in
      if let flight = flights[key] {
        flight.deadline.extend(to: deadline)
        return (flight, flight.board(), false)
      }
      let flight = Flight(deadline: FlightDeadline(deadline))
      flights[key] = flight
      return (flight, flight.board(), true)
    }
    if isNew {
      flight.take(off: key, from: self, operation)
    } else {
      onJoining()
    }
    context.onInterruption { self.leave(flight, number, of: key) }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { flight.wait(number, $0) }
    } onCancel: {
      leave(flight, number, of: key)
    }
  }

  /// Takes the flight off the list, so that nobody joins it any more.
  fileprivate func remove(_ flight: Flight, of key: FlightKey) {
    flights.withLock { flights in
      if flights[key] === flight { flights[key] = nil }
    }
  }

  private func leave(_ flight: Flight, _ number: Int, of key: FlightKey) {
    // Under the list's lock, so that nobody joins a flight whose last caller is leaving.
    let isEmpty = flights.withLock { flights in
      let isEmpty = flight.leave(number)
      if isEmpty, flights[key] === flight { flights[key] = nil }
      return isEmpty
    }
    if isEmpty { flight.cancel() }
  }
}

/// One exchange and the callers that wait for it.
private final class Flight: Sendable {
  private enum Caller {
    case boarded
    case waiting(CheckedContinuation<HTTPResponse, any Error>)
    case left
  }

  private struct State {
    var callers: [Int: Caller] = [:]
    var lastNumber = 0
    var result: Result<HTTPResponse, any Error>?
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  let deadline: FlightDeadline
  private let state = Mutex(State())

  init(deadline: FlightDeadline) {
    self.deadline = deadline
  }

  /// One more caller; its number.
  func board() -> Int {
    state.withLock { state in
      state.lastNumber += 1
      state.callers[state.lastNumber] = .boarded
      return state.lastNumber
    }
  }

  func take(
    off key: FlightKey, from flights: Flights,
    _ operation: @escaping @Sendable (FlightDeadline) async throws -> HTTPResponse
  ) {
    let task = Task {
      let result: Result<HTTPResponse, any Error>
      do {
        result = .success(try await operation(deadline))
      } catch {
        result = .failure(error)
      }
      flights.remove(self, of: key)
      land(result)
    }
    let isCancelled = state.withLock { state in
      if state.result == nil { state.task = task }
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Resumes `continuation` with the result, or with `CancellationError` when the caller has left.
  func wait(_ number: Int, _ continuation: CheckedContinuation<HTTPResponse, any Error>) {
    let result: Result<HTTPResponse, any Error>? = state.withLock { state in
      if case .left = state.callers[number] { return .failure(CancellationError()) }
      if state.result == nil { state.callers[number] = .waiting(continuation) }
      return state.result
    }
    if let result { continuation.resume(with: result) }
  }

  /// The caller leaves.
  ///
  /// - Returns: Whether nobody waits any more for a result that is not there.
  func leave(_ number: Int) -> Bool {
    let (continuation, isEmpty) = state.withLock { state in
      let caller = state.callers.updateValue(.left, forKey: number)
      let isEmpty =
        state.result == nil && state.callers.values.allSatisfy { if case .left = $0 { true } else { false } }
      if case .waiting(let continuation) = caller { return (Optional(continuation), isEmpty) }
      return (nil, isEmpty)
    }
    continuation?.resume(throwing: CancellationError())
    return isEmpty
  }

  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      return state.task
    }?.cancel()
  }

  private func land(_ result: Result<HTTPResponse, any Error>) {
    let callers = state.withLock { state in
      state.result = result
      state.task = nil
      defer { state.callers = state.callers.filter { if case .waiting = $0.value { false } else { true } } }
      return Array(state.callers.values)
    }
    for case .waiting(let continuation) in callers { continuation.resume(with: result) }
  }
}
