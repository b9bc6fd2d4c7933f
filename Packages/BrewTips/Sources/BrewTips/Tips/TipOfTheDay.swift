/// Today's tip, with where it came from and how old it is.
public struct TipOfTheDay: Sendable, Hashable {
  /// Where a tip came from.
  public enum Source: String, Sendable, Hashable, Codable {
    /// The server, just now.
    case network
    /// A stored answer that is still good.
    case cache
    /// A stored answer past its time, because there was no newer one to be had.
    case stale
    /// This kit: there was no answer at all.
    case fallback
  }

  /// The tip.
  public var tip: BrewTip
  /// Where it came from.
  public var source: Source
  /// How long ago the server made the answer; zero when it was just now, or nobody knows.
  public var age: Duration

  /// Today's tip; as it comes, fresh from the server.
  public init(_ tip: BrewTip, source: Source = .network, age: Duration = .zero) {
    self.tip = tip
    self.source = source
    self.age = age
  }

  /// The tip's words.
  public var text: String { tip.text }

  /// What is shown when there is no tip to be had, so that a failure never leaves a blank card.
  public static let fallback = TipOfTheDay(
    BrewTip("Grind size shapes a cup more than dose does: grind finer when it is sour, coarser when it is bitter."),
    source: .fallback)
}
