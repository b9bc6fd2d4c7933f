public import Observation

/// The state of a card with the tip of the day.
///
///     struct TipCard: View {
///       let model: TipOfTheDayModel
///       var body: some View {
///         Text(model.tip?.text ?? "…").task { await model.load() }
///       }
///     }
@MainActor @Observable
public final class TipOfTheDayModel {
  /// What the card is doing.
  public enum State: Sendable, Hashable {
    /// Nothing was asked for yet.
    case idle
    /// A tip is on its way.
    case loading
    /// The tip is there.
    case loaded(TipOfTheDay)
    /// There was none to be had, and why, for people.
    case failed(String)
  }

  /// What there is to show: the last tip that came, else after a failure ``TipOfTheDay/fallback``; `nil` before the first
  /// load has ended.
  public private(set) var tip: TipOfTheDay?
  private var outcome = State.idle
  private var loads = LoadSequence()
  private let service: any BrewTipsService

  /// A model that has not asked for anything yet.
  public init(service: any BrewTipsService) {
    self.service = service
  }

  /// What the card is doing.
  public var state: State {
    loads.isLoading ? .loading : outcome
  }

  /// Loads the tip unless it is there already: what a view does when it appears.
  public func load() async {
    if case .loaded = outcome { return }
    await reload()
  }

  /// Loads the tip, whatever is there.
  ///
  /// Of several loads at once the one that began last counts. A cancelled one leaves everything as it was.
  public func reload() async {
    let load = loads.begin()
    do {
      let tip = try await service.tipOfTheDay()
      settle(load, .loaded(tip), showing: tip)
    } catch let error where isCancellation(error) {
      loads.abandon(load)
    } catch {
      settle(load, .failed(message(for: error)), showing: tip ?? .fallback)
    }
  }

  private func settle(_ load: Int, _ outcome: State, showing tip: TipOfTheDay) {
    guard loads.settle(load) else { return }
    self.outcome = outcome
    self.tip = tip
  }
}
