/// A test waited for something that did not happen in time.
public struct WaitLimitReached: Error, CustomStringConvertible {
  /// What was waited for, and how long.
  public let description: String

  /// A wait that ended without what it was for.
  public init(_ awaited: String, limit: Duration) {
    description = "waited \(limit) for \(awaited)"
  }
}
