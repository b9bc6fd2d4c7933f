import NetCore

/// One call's events as the rows of its waterfall.
struct CallRows {
  private(set) var title = ""
  private(set) var rows: [Waterfall.Row] = []
  private(set) var ending = ""
  /// How long the call took, as far as its events tell.
  private(set) var duration = Duration.zero
  private let start: Duration
  /// Where the next attempt waited for its turn.
  private var queue: [Waterfall.Segment] = []
  private var shareStart: Duration?

  init(_ events: [CallEvent]) {
    start = events.compactMap(\.callStart).first ?? events.first?.elapsed ?? .zero
    title = events.first?.endpointName ?? ""
    for event in events { add(event) }
  }

  private mutating func add(_ event: CallEvent) {
    let now = event.elapsed - start
    duration = max(duration, now)
    switch event.kind {
    case .started(let request):
      title = "\(event.endpointName): \(request.method) \(Redactor.standard.redact(request.url))"
    case .request:
      break
    case .response(let response, _, let length):
      addAttempt(event, "\(response.status)", length, response.info.timings, isFailure: response.status.code >= 400)
    case .attemptFailed(let error, _, let length):
      addAttempt(event, error.inShort, length, nil, isFailure: true)
    case .coalesced:
      shareStart = now
    case .cache(let outcome):
      rows.append(Waterfall.Row(label: "  cache", details: ["\(outcome)"]))
    case .retry(let reason, let wait):
      rows.append(.bar("  wait", .wait, now, now + wait, details: [reason]))
    case .notRetried(let reason):
      rows.append(Waterfall.Row(label: "  not retried", details: [reason]))
    case .queued(let length):
      queue.append(Waterfall.Segment(phase: .queue, start: now - length, end: now))
    case .redirected(let redirect):
      rows.append(Waterfall.Row(label: "  redirect", details: [Redactor.standard.redact(redirect.to)]))
    case .circuit(let state, let origin):
      rows.append(Waterfall.Row(label: "  circuit \(state.rawValue)", details: [origin]))
    case .renewedCredentials(let length):
      rows.append(.bar("  new credentials", .credentials, now - length, now))
    case .awaitedCredentials(let length):
      rows.append(.bar("  credentials", .credentials, now - length, now))
    case .finished(let outcome):
      finish(outcome, now)
    }
  }

  private mutating func addAttempt(
    _ event: CallEvent, _ what: String, _ length: Duration, _ timings: ExchangeInfo.Timings?, isFailure: Bool
  ) {
    let begin = event.elapsed - start - length
    let phases = timings?.phases(within: length) ?? [(.attempt, length)]
    var segments: [Waterfall.Segment] = []
    var previous = Duration.zero
    for (phase, moment) in phases {
      segments.append(Waterfall.Segment(phase: phase, start: begin + previous, end: begin + moment))
      previous = moment
    }
    var row = Waterfall.Row(
      label: "\(event.attempt) \(what)", segments: queue + segments,
      duration: queue.reduce(length) { $0 + $1.end - $1.start }, isFailure: isFailure)
    queue = []
    if let timings {
      row.details = [
        row.segments.map { "\($0.phase.name) \(($0.end - $0.start).inShort)" }.joined(separator: ", "),
        timings.connection,
      ]
    }
    rows.append(row)
  }

  private mutating func finish(_ outcome: CallOutcome, _ now: Duration) {
    if let first = queue.first { rows.append(.bar("  queue", .queue, first.start, now)) }
    if let shareStart { rows.append(.bar("  an equal call's exchange", .shared, shareStart, now)) }
    let attempts = outcome.info.map { $0.attempts == 1 ? ", 1 attempt" : ", \($0.attempts) attempts" } ?? ""
    let result = outcome.error.map { "failed after \(outcome.duration.inShort): \($0.inShort)" }
    ending = result ?? "done in \(outcome.duration.inShort)\(attempts), \(outcome.bytesReceived) bytes"
  }
}

extension CallEvent {
  /// When the call began, which the event at its end knows.
  fileprivate var callStart: Duration? {
    if case .finished(let outcome) = kind { elapsed - outcome.duration } else { nil }
  }
}

extension Waterfall.Row {
  fileprivate static func bar(
    _ label: String, _ phase: Waterfall.Phase, _ start: Duration, _ end: Duration, details: [String] = []
  ) -> Waterfall.Row {
    let segment = Waterfall.Segment(phase: phase, start: start, end: end)
    return Waterfall.Row(label: label, segments: [segment], duration: end - start, details: details)
  }
}

extension ExchangeInfo.Timings {
  /// The phases with the moment at which each ended, from the attempt's beginning.
  fileprivate func phases(within length: Duration) -> [(Waterfall.Phase, Duration)] {
    let moments: [(Waterfall.Phase, Duration?)] = [
      (.name, nameLookup), (.connect, connect), (.tls, tls), (.firstByte, firstByte), (.body, total),
    ]
    var previous = Duration.zero
    return moments.compactMap { phase, moment in
      guard let moment = moment.map({ min($0, length) }), moment > previous else { return nil }
      previous = moment
      return (phase, moment)
    }
  }

  /// `HTTP/1.1 with 127.0.0.1:8080, new connection, 48 bytes`
  fileprivate var connection: String {
    let address = remoteAddress.map { " with \($0)" } ?? ""
    let kind = isConnectionReused ? "connection used before" : "new connection"
    return "\(protocolName)\(address), \(kind), \(bytesReceived) bytes"
  }
}

extension Error {
  /// The beginning of what went wrong, in few words.
  fileprivate var inShort: String {
    switch self {
    case is CancellationError: "cancelled"
    case let error as APIError: String(error.reason.prefix { $0 != ":" && $0 != "." })
    default: "\(type(of: self))"
    }
  }
}
