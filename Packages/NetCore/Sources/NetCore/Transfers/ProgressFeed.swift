import Synchronization

/// Brings a transfer's progress to who watches it: the newest wins, so a slow watcher holds nothing up and costs no memory.
final class ProgressFeed: Sendable {
  /// What is told, until the transfer has ended.
  let updates: AsyncStream<TransferProgress>
  private let continuation: AsyncStream<TransferProgress>.Continuation
  private let timeSource: TimeSource
  private let meter: Mutex<TransferMeter>

  init(timeSource: TimeSource) {
    self.timeSource = timeSource
    meter = Mutex(TransferMeter(now: timeSource.elapsed))
    (updates, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// An attempt begins at an offset.
  func begin(at offset: Int64, total: Int64?) {
    let now = timeSource.elapsed
    let progress = meter.withLock { meter in
      meter.begin(at: offset, total: total, now: now)
      return meter.progress
    }
    continuation.yield(progress)
  }

  /// Bytes are through.
  func add(_ count: Int) {
    let now = timeSource.elapsed
    if let progress = meter.withLock({ $0.add(count, now: now) }) { continuation.yield(progress) }
  }

  /// The transfer is complete: tells that, and nothing more.
  func complete() {
    let now = timeSource.elapsed
    continuation.yield(meter.withLock { $0.end(now: now) })
    continuation.finish()
  }

  /// The transfer has failed: tells nothing more.
  func stop() {
    continuation.finish()
  }
}

/// Runs a transfer and its watcher side by side, and returns when both have ended.
///
/// A watcher that is left when the transfer has failed is cancelled.
func withProgress<Result>(
  _ observer: ProgressObserver?, timeSource: TimeSource, _ transfer: (ProgressFeed?) async throws -> Result
) async throws -> Result {
  guard let observer else { return try await transfer(nil) }
  let feed = ProgressFeed(timeSource: timeSource)
  async let watching: Void = observer(feed.updates)
  do {
    let result = try await transfer(feed)
    feed.complete()
    await watching
    return result
  } catch {
    feed.stop()
    throw error
  }
}
