/// What is remembered of an origin.
protocol OriginState {
  /// Whether somebody waits or has something to give back: it must not be forgotten.
  var isInUse: Bool { get }
  /// Whether there is nothing worth remembering.
  func isIdle(at moment: Duration) -> Bool
}

/// Remembers a state for each of about a thousand origins.
///
/// When there are more, those with nothing to remember are forgotten first, then those not used for longest; what is in use
/// stays.
struct OriginTable<State: OriginState> {
  private struct Entry {
    var state: State
    var lastUse: Int
  }

  private var entries: [Origin: Entry] = [:]
  private var uses = 0
  private var capacity: Int
  private let minimumCapacity: Int
  private let makeState: () -> State

  init(capacity: Int = 1_000, _ makeState: @autoclosure @escaping () -> State) {
    self.capacity = capacity
    minimumCapacity = capacity
    self.makeState = makeState
  }

  var count: Int { entries.count }

  /// What is remembered of `origin`; `nil` when there is nothing.
  subscript(origin: Origin) -> State? { entries[origin]?.state }

  /// Everything that is remembered.
  var states: some Sequence<(origin: Origin, state: State)> { entries.lazy.map { ($0.key, $0.value.state) } }

  /// Reads and changes the state of `origin`, which begins when there is none.
  mutating func update<Result>(
    _ origin: Origin, at moment: Duration = .zero, _ body: (inout State) throws -> Result
  ) rethrows -> Result {
    uses += 1
    if let index = entries.index(forKey: origin) {
      entries.values[index].lastUse = uses
      return try body(&entries.values[index].state)
    }
    if entries.count >= capacity { makeRoom(at: moment) }
    var entry = Entry(state: makeState(), lastUse: uses)
    defer { entries[origin.detached] = entry }
    return try body(&entry.state)
  }

  private mutating func makeRoom(at moment: Duration) {
    entries = entries.filter { $0.value.state.isInUse || !$0.value.state.isIdle(at: moment) }
    if entries.count >= minimumCapacity {
      let unused = entries.filter { !$0.value.state.isInUse }.sorted { $0.value.lastUse < $1.value.lastUse }
      for (origin, _) in unused.prefix(minimumCapacity / 2) { entries[origin] = nil }
    }
    // When nearly all are in use there is no room to make: look again when there are twice as many.
    capacity = entries.count < minimumCapacity ? minimumCapacity : entries.count * 2
  }
}
