import Synchronization

/// The places under a ``ConcurrencyLimit``.
final class Places: Sendable {
  /// A place that somebody will have.
  struct Turn {
    fileprivate let origin: Origin
    fileprivate let number: Int
    fileprivate let promise: Promise<Void>
  }

  let limit: ConcurrencyLimit
  private let book: Mutex<PlaceBook<Promise<Void>>>

  init(_ limit: ConcurrencyLimit) {
    self.limit = limit
    book = Mutex(PlaceBook(limit))
  }

  /// How many places are taken, and how many wait.
  var counts: (taken: Int, waiting: Int) { book.withLock { ($0.taken, $0.waiting) } }

  /// Takes a place at `origin`.
  ///
  /// - Returns: `nil` when it is taken, else the turn to wait for.
  /// - Throws: ``APIError`` of kind `rejected` when the line is full.
  func take(_ origin: Origin) throws -> Turn? {
    try book.withLock { book in
      if book.take(origin) { return nil }
      let promise = Promise<Void>()
      guard let number = book.join(origin, promise) else {
        throw APIError.queueFull(origin, waiting: limit.queue, setting: "ConcurrencyLimit")
      }
      return Turn(origin: origin, number: number, promise: promise)
    }
  }

  /// Waits for a place.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled, without a place.
  func wait(for turn: Turn) async throws {
    do {
      try await turn.promise.value()
      try Task.checkCancellation()
    } catch {
      let wasWaiting = book.withLock { $0.leave(turn.origin, number: turn.number) }
      // The place came while the task was being cancelled: somebody else has it now.
      if !wasWaiting { giveBack(turn.origin) }
      throw error
    }
  }

  /// Gives a place at `origin` back; the first who waits and can have it has it then.
  func giveBack(_ origin: Origin) {
    book.withLock { $0.giveBack(origin) }?.fulfill(.success(()))
  }
}
