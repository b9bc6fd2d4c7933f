/// Where tips come from, as the models see it.
public protocol BrewTipsService: Sendable {
  /// The tip of the day.
  ///
  /// - Throws: `CancellationError` when the task was cancelled; else whatever kept the tip away.
  func tipOfTheDay() async throws -> TipOfTheDay
}
