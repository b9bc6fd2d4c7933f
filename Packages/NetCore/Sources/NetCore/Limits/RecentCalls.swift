/// How many calls ended, and how many of them failed, within a window: counted in ten parts, so that it slides by a tenth.
struct RecentCalls {
  private static let parts = 10

  private let partLength: Duration
  private var counts = [(part: Int, calls: Int, failures: Int)](repeating: (-parts, 0, 0), count: parts)

  init(window: Duration) {
    partLength = max(window / Self.parts, .microseconds(1))
  }

  mutating func add(isFailure: Bool, at moment: Duration) {
    let part = part(at: moment)
    let place = part % Self.parts
    if counts[place].part < part { counts[place] = (part, 0, 0) }
    counts[place].calls += 1
    if isFailure { counts[place].failures += 1 }
  }

  func totals(at moment: Duration) -> (calls: Int, failures: Int) {
    let oldest = part(at: moment) - Self.parts + 1
    return counts.reduce((0, 0)) { $1.part >= oldest ? ($0.0 + $1.calls, $0.1 + $1.failures) : $0 }
  }

  private func part(at moment: Duration) -> Int {
    Int(moment / partLength)
  }
}
