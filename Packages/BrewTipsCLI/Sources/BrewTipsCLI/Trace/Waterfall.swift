import NetCore

/// The events of calls as bars along time: each attempt with its phases, and what was waited for between them.
///
///     GetTip: GET http://127.0.0.1:8080/tips/today
///                                            0 ms                          521.4 ms
///     1 503 Service Unavailable      12.3 ms nc▒█
///         name 0.4 ms, connect 0.3 ms, first byte 11.4 ms, body 0.2 ms
///       wait                        500.0 ms   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
///     2 200 OK                        9.1 ms                                     ▒
struct Waterfall {
  /// What a part of a bar stands for. Each has a letter or pattern of its own, so that none needs its colour.
  enum Phase: CaseIterable {
    case queue, name, connect, tls, firstByte, body, attempt, wait, credentials, shared
  }

  /// A part of a bar; times count from the call's beginning.
  struct Segment: Equatable {
    var phase: Phase
    var start: Duration
    var end: Duration
  }

  /// A line with a bar, and the lines below that say more.
  struct Row: Equatable {
    var label: String
    var segments: [Segment] = []
    /// How long it took; `nil` for a line without a bar. It may be a little longer than the segments that were measured.
    var duration: Duration?
    var details: [String] = []
    var isFailure = false
  }

  private let calls: [CallRows]

  /// The waterfall of calls, from their events in the order they came.
  init(_ events: [CallEvent]) {
    let numbers = events.map(\.call).reduce(into: [Int]()) { if !$0.contains($1) { $0.append($1) } }
    calls = numbers.map { number in CallRows(events.filter { $0.call == number }) }
  }

  /// The lines to print.
  ///
  /// - Parameters:
  ///   - width: The columns of the terminal, at least 60. Default: 80.
  ///   - isColored: Whether colours help to tell the phases apart.
  func lines(width: Int = 80, isColored: Bool = false) -> [String] {
    let drawing = Drawing(width: max(width, 60), isColored: isColored)
    let phases = Set(calls.flatMap(\.rows).flatMap(\.segments).map(\.phase))
    guard !calls.isEmpty else { return ["no calls were made"] }
    return calls.flatMap(drawing.lines) + (phases.isEmpty ? [] : [drawing.legend(phases)])
  }
}
