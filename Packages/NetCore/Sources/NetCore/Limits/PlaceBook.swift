/// Who has a place under a ``ConcurrencyLimit``, and who waits for one.
///
/// After each step nobody waits who could have a place. So whoever comes and finds one overtakes nobody.
struct PlaceBook<Waiter> {
  private struct Host: OriginState {
    var taken = 0
    var line = WaitingLine<Waiter>()

    var isInUse: Bool { taken > 0 || !line.isEmpty }
    func isIdle(at moment: Duration) -> Bool { true }
    func hasRoom(_ limit: ConcurrencyLimit) -> Bool { limit.perHost.map { taken < $0 } ?? true }
  }

  private let limit: ConcurrencyLimit
  private var hosts = OriginTable(Host())
  private var lastNumber = 0
  /// How many places are taken.
  private(set) var taken = 0
  /// How many wait.
  private(set) var waiting = 0

  init(_ limit: ConcurrencyLimit) {
    self.limit = limit
  }

  private var hasRoom: Bool { limit.total.map { taken < $0 } ?? true }

  /// Takes a place at `origin`, if there is one.
  mutating func take(_ origin: Origin) -> Bool {
    let isTaken =
      hasRoom
      && hosts.update(origin) { [limit] host in
        guard host.hasRoom(limit) else { return false }
        host.taken += 1
        return true
      }
    if isTaken { taken += 1 }
    return isTaken
  }

  /// Lets `waiter` wait for a place at `origin`, where there is none.
  ///
  /// - Returns: The waiter's number; `nil` when the line is full.
  mutating func join(_ origin: Origin, _ waiter: Waiter) -> Int? {
    let number = lastNumber + 1
    let isWaiting = hosts.update(origin) { [limit] host in
      guard host.line.count < limit.queue else { return false }
      host.line.append(waiter, number: number)
      return true
    }
    guard isWaiting else { return nil }
    lastNumber = number
    waiting += 1
    return number
  }

  /// Lets the waiter with `number` leave the line of `origin`.
  ///
  /// - Returns: Whether it was still waiting; if not, it has a place.
  mutating func leave(_ origin: Origin, number: Int) -> Bool {
    let wasWaiting = hosts.update(origin) { $0.line.remove(number) }
    if wasWaiting { waiting -= 1 }
    return wasWaiting
  }

  /// Gives a place at `origin` back.
  ///
  /// - Returns: Who has it now and was waiting before: the first of those who can have it.
  mutating func giveBack(_ origin: Origin) -> Waiter? {
    let hadRoom = hasRoom
    taken -= 1
    hosts.update(origin) { $0.taken -= 1 }
    // Where the client had room for more, only those who wait at this host can have the place.
    guard waiting > 0, let next = hadRoom ? origin : firstInLine() else { return nil }
    let waiter = hosts.update(next) { [limit] host -> Waiter? in
      guard host.hasRoom(limit), let waiter = host.line.popFirst() else { return nil }
      host.taken += 1
      return waiter
    }
    if waiter != nil {
      taken += 1
      waiting -= 1
    }
    return waiter
  }

  /// Where the one waits who has waited longest and could have a place.
  private func firstInLine() -> Origin? {
    var first: (number: Int, origin: Origin)?
    for (origin, host) in hosts.states where host.hasRoom(limit) {
      if let number = host.line.firstNumber, number < first?.number ?? .max { first = (number, origin) }
    }
    return first?.origin
  }
}
