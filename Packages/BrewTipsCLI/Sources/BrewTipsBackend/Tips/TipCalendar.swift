#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decides which tip is whose day's. Days are those of UTC.
struct TipCalendar: Sendable {
  private static let secondsOfDay = 86_400

  let tips: [Tip]
  /// How far apart in the list the tips of two days are. It shares no factor with their number, so that every tip has had
  /// its day before the first comes again.
  private let step: Int

  /// The tips in `Resources/tips.json`.
  static let embedded: TipCalendar = {
    struct Entry: Decodable {
      let category: String
      let text: String
    }
    let entries = try? JSONDecoder().decode([Entry].self, from: Data(PackageResources.tips_json))
    guard let entries, !entries.isEmpty else { preconditionFailure("Resources/tips.json is not a list of tips") }
    return TipCalendar(tips: entries.enumerated().map { Tip(id: $0 + 1, category: $1.category, text: $1.text) })
  }()

  init(tips: [Tip]) {
    self.tips = tips
    step = (max(1, tips.count / 3)...).first { Self.greatestCommonDivisor($0, tips.count) == 1 } ?? 1
  }

  /// The tip of the day that `date` is in.
  func tip(on date: Date) -> Tip {
    let day = Self.seconds(date) / Self.secondsOfDay
    return tips[day % tips.count * step % tips.count]
  }

  /// How long that day goes on, from 1 to 86,400 seconds.
  static func secondsLeft(ofDayOf date: Date) -> Int {
    secondsOfDay - seconds(date) % secondsOfDay
  }

  /// Whole seconds since 1970; a clock that stands before it stands at it.
  private static func seconds(_ date: Date) -> Int {
    max(0, Int(date.timeIntervalSince1970))
  }

  private static func greatestCommonDivisor(_ one: Int, _ other: Int) -> Int {
    other == 0 ? one : greatestCommonDivisor(other, one % other)
  }
}
