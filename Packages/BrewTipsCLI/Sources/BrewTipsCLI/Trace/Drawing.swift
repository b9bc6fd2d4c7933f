/// Turns rows into lines of text.
struct Drawing {
  private static let labelWidth = 30
  private static let durationWidth = 9

  let width: Int
  let isColored: Bool

  private var barWidth: Int { width - Self.labelWidth - Self.durationWidth - 2 }

  /// A call: its title, the scale when there are bars, its rows, and how it ended.
  func lines(_ call: CallRows) -> [String] {
    let end = call.duration.inShort
    let scale = String(repeating: " ", count: width - barWidth) + "0" + end.padded(to: barWidth - 1, alignsRight: true)
    let hasBars = call.rows.contains { !$0.segments.isEmpty }
    return [styled(call.title.fitting(width), "1")] + (hasBars ? [styled(scale, "2")] : [])
      + call.rows.flatMap { lines($0, within: call.duration) } + [call.ending.fitting(width)]
  }

  /// What the phases that occur look like.
  func legend(_ phases: Set<Waterfall.Phase>) -> String {
    Waterfall.Phase.allCases.filter(phases.contains).map { phase in
      styled(String(phase.pattern), phase.style) + " " + phase.name
    }.joined(separator: "  ")
  }

  private func lines(_ row: Waterfall.Row, within total: Duration) -> [String] {
    let label = row.label.fitting(Self.labelWidth).padded(to: Self.labelWidth)
    let duration = (row.duration?.inShort ?? "").padded(to: Self.durationWidth, alignsRight: true)
    let first = styled(label, row.isFailure ? "31" : nil) + duration + "  " + bar(row.segments, within: total)
    return [first.withoutTrailingSpaces]
      + row.details.map { styled("    " + $0.fitting(width - 4), "2") }
  }

  /// The segments in their places, each at least one column wide.
  private func bar(_ segments: [Waterfall.Segment], within total: Duration) -> String {
    guard let first = segments.first, let last = segments.last else { return "" }
    func columns(_ duration: Duration) -> Int {
      total > .zero ? Int((Double(barWidth) * (duration / total)).rounded()) : 0
    }
    let length = min(max(columns(last.end) - columns(first.start), segments.count), barWidth)
    let start = max(0, min(columns(first.start), barWidth - length))
    let parts = zip(segments, Self.share(length, segments.map { $0.end - $0.start })).map { segment, count in
      styled(String(repeating: segment.phase.pattern, count: count), segment.phase.style)
    }
    return String(repeating: " ", count: start) + parts.joined()
  }

  /// Divides columns by duration, one for each and the others where they are due most.
  static func share(_ columns: Int, _ durations: [Duration]) -> [Int] {
    let total = durations.reduce(.zero, +)
    let due = durations.map { total > .zero ? Double(columns) * ($0 / total) : 1 }
    var shares = durations.map { _ in 1 }
    for _ in 0..<max(0, columns - durations.count) {
      guard let neediest = shares.indices.max(by: { due[$0] - Double(shares[$0]) < due[$1] - Double(shares[$1]) })
      else { break }
      shares[neediest] += 1
    }
    return shares
  }

  private func styled(_ text: String, _ style: String?) -> String {
    guard isColored, let style, !text.isEmpty else { return text }
    return "\u{1B}[\(style)m\(text)\u{1B}[0m"
  }
}

extension Waterfall.Phase {
  /// What it is called.
  var name: String {
    switch self {
    case .queue: "queue"
    case .name: "name"
    case .connect: "connect"
    case .tls: "TLS"
    case .firstByte: "first byte"
    case .body: "body"
    case .attempt: "attempt"
    case .wait: "wait"
    case .credentials: "credentials"
    case .shared: "shared"
    }
  }

  /// What its bar is made of.
  fileprivate var pattern: Character {
    switch self {
    case .queue: "·"
    case .name: "n"
    case .connect: "c"
    case .tls: "t"
    case .firstByte: "▒"
    case .body: "█"
    case .attempt: "▓"
    case .wait: "~"
    case .credentials: "a"
    case .shared: "="
    }
  }

  /// Its colour, as the parameter of the terminal's escape sequence.
  fileprivate var style: String {
    switch self {
    case .queue, .wait: "2"
    case .name: "36"
    case .connect: "33"
    case .tls: "35"
    case .firstByte, .attempt: "32"
    case .body, .shared: "34"
    case .credentials: "35"
    }
  }
}

extension String {
  /// The text on one line of at most so many columns, without what could control the terminal.
  fileprivate func fitting(_ width: Int) -> String {
    let text = printable()
    return text.count <= width ? text : text.prefix(width - 1) + "…"
  }

  fileprivate func padded(to width: Int, alignsRight: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - count))
    return alignsRight ? space + self : self + space
  }

  fileprivate var withoutTrailingSpaces: String {
    String(reversed().drop { $0 == " " }.reversed())
  }
}

extension Duration {
  /// `12.3 ms`, `1.50 s`
  var inShort: String {
    let microseconds = components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    return if microseconds < 1_000_000 {
      "\(microseconds / 1_000).\(microseconds / 100 % 10) ms"
    } else {
      "\(microseconds / 1_000_000).\(microseconds / 100_000 % 10)\(microseconds / 10_000 % 10) s"
    }
  }
}
