/// Counts a transfer's bytes, and says when its progress is worth telling.
struct TransferMeter: Sendable {
  /// The least time between two reports.
  static let interval = Duration.milliseconds(100)
  /// How long a rate is remembered, in seconds: after as long at another, most of what is shown is the new one.
  private static let memory = 3.0

  private var completed: Int64 = 0
  private var total: Int64?
  /// Where the present attempt is, which may be behind what an earlier one had reached.
  private var position: Int64 = 0
  private var unreported: Int64 = 0
  private var started: Duration
  private var lastReport: Duration
  private var bytesPerSecond = 0.0

  /// A meter that starts now.
  init(now: Duration) {
    (started, lastReport) = (now, now)
  }

  /// How far the transfer has come.
  var progress: TransferProgress {
    TransferProgress(completed: completed, total: total, bytesPerSecond: bytesPerSecond)
  }

  /// An attempt begins at an offset. What is sent or received for a second time counts for the rate alone, unless the
  /// content is another now.
  mutating func begin(at offset: Int64, total: Int64?, now: Duration) {
    // The way to the first byte says nothing about the rate.
    if lastReport == started, unreported == 0 { (started, lastReport) = (now, now) }
    let isOther = self.total != nil && self.total != total
    position = offset
    completed = isOther ? offset : max(completed, offset)
    self.total = total
  }

  /// Bytes are through.
  ///
  /// - Returns: The progress, when the last report is long enough ago.
  mutating func add(_ count: Int, now: Duration) -> TransferProgress? {
    position += Int64(count)
    unreported += Int64(count)
    completed = max(completed, min(position, total ?? position))
    guard now - lastReport >= Self.interval else { return nil }
    measureRate(now)
    return progress
  }

  /// The transfer is complete.
  mutating func end(now: Duration) -> TransferProgress {
    if now > lastReport { measureRate(now) }
    // A transport may not look for the end of a body whose length it knows.
    completed = total ?? max(completed, position)
    total = completed
    return progress
  }

  /// The rate is the average so far at first, and later one in which the last seconds count most.
  private mutating func measureRate(_ now: Duration) {
    let seconds = (now - lastReport).inSeconds
    let remembered = min((now - started).inSeconds, Self.memory + seconds)
    bytesPerSecond += (Double(unreported) / seconds - bytesPerSecond) * seconds / remembered
    (unreported, lastReport) = (0, now)
  }
}
