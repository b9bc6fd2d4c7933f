/// How far an upload or a download has come.
public struct TransferProgress: Sendable, Hashable {
  /// The bytes that are through. It never falls, with one exception: a download that begins anew with content of another
  /// length, because the server's file has changed.
  public let completed: Int64
  /// The bytes in all; `nil` while nobody knows.
  public let total: Int64?
  /// The bytes a second, smoothed over some three seconds; 0 before the first are through.
  public let bytesPerSecond: Double

  /// A progress, for previews and tests of who shows it.
  public init(completed: Int64, total: Int64?, bytesPerSecond: Double = 0) {
    self.completed = completed
    self.total = total
    self.bytesPerSecond = bytesPerSecond
  }

  /// The share that is through, from 0 to 1; `nil` while the total is not known.
  public var fraction: Double? {
    total.map { $0 > 0 ? min(Double(completed) / Double($0), 1) : 1 }
  }

  /// How long it will take from here at the present rate; `nil` while that is not known, or is more than 100 hours.
  public var timeLeft: Duration? {
    guard let total else { return nil }
    guard completed < total else { return .zero }
    let seconds = Double(total - completed) / bytesPerSecond
    return seconds < 360_000 ? .seconds(seconds) : nil
  }
}

/// Who watches a transfer: reads the updates, which end with the transfer.
public typealias ProgressObserver = @Sendable (_ updates: AsyncStream<TransferProgress>) async -> Void
