import BrewTips
import NetCore
import NetTesting
import Observation
import TestSupport
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct TipOfTheDayModelTests {
  private let service = FakeTips()
  private let model: TipOfTheDayModel
  private let first = TipOfTheDay(BrewTip("Rinse the filter."))
  private let second = TipOfTheDay(BrewTip("Weigh the water."))

  init() {
    model = TipOfTheDayModel(service: service)
  }

  /// Begins a load and returns it once it has reached the service.
  private func begin() async throws -> (task: Task<Void, Never>, call: Calls<TipOfTheDay>.Call) {
    let task = Task { await model.reload() }
    return (task, try await service.calls.next())
  }

  /// Loads, with the given answer of the service.
  private func load(_ answer: Result<TipOfTheDay, any Error>) async throws {
    let (task, call) = try await begin()
    call.answer(answer)
    await task.value
  }

  @Test func `starts idle with nothing to show`() {
    #expect(model.state == .idle)
    #expect(model.tip == nil)
  }

  @Test func `is loading until the tip is there`() async throws {
    let (task, call) = try await begin()
    #expect(model.state == .loading)
    #expect(model.tip == nil)

    call.answer(.success(first))
    await task.value

    #expect(model.state == .loaded(first))
    #expect(model.tip == first)
  }

  @Test func `shows the fallback tip and says why when the service fails`() async throws {
    try await load(.failure(APIError.transport(.offline)))

    #expect(model.state == .failed("You appear to be offline."))
    #expect(model.tip == .fallback)
    #expect(model.tip?.source == .fallback)
    #expect(model.tip?.text.contains("Grind size") == true)
  }

  @Test func `has words for an error that has none`() async throws {
    try await load(.failure(Mute()))

    #expect(model.state == .failed("Something went wrong. Try again in a moment."))
  }

  @Test func `keeps the tip that was there when a reload fails`() async throws {
    try await load(.success(first))
    try await load(.failure(APIError.badStatus(500)))

    #expect(model.state == .failed("The server has a problem. Try again later."))
    #expect(model.tip == first)
  }

  @Test func `shows the new tip after a reload`() async throws {
    try await load(.success(first))
    let (task, call) = try await begin()
    #expect(model.state == .loading)
    #expect(model.tip == first, "the old one stays until then")

    call.answer(.success(second))
    await task.value

    #expect(model.state == .loaded(second))
    #expect(model.tip == second)
  }

  @Test func `load asks for a tip that is not there, and for no other`() async throws {
    try await load(.failure(Mute()))
    let retry = Task { await model.load() }
    try await service.calls.next().answer(.success(first))
    await retry.value

    await model.load()  // would wait for an answer for ever

    #expect(model.state == .loaded(first))
  }

  @Test(arguments: ["idle", "loaded", "failed"])
  func `a cancelled load leaves the state that was there`(before: String) async throws {
    switch before {
    case "loaded": try await load(.success(first))
    case "failed": try await load(.failure(Mute()))
    default: break
    }
    let (state, tip) = (model.state, model.tip)

    let (task, _) = try await begin()
    task.cancel()
    await task.value

    #expect(model.state == state)
    #expect(model.tip == tip)
  }

  @Test func `a cancelled load whose service reports an error of its own has not failed`() async throws {
    let (task, call) = try await begin()
    call.answer(.failure(Mute()))
    task.cancel()
    await task.value

    #expect(model.state == .idle)
  }

  @Test func `the later of two loads counts when the earlier ends last`() async throws {
    let (early, late) = (try await begin(), try await begin())

    late.call.answer(.success(second))
    await late.task.value
    #expect(model.state == .loaded(second), "nobody waits for the earlier")

    early.call.answer(.failure(Mute()))
    await early.task.value
    #expect(model.state == .loaded(second))
    #expect(model.tip == second)
  }

  @Test func `the earlier of two loads is shown while the later is under way`() async throws {
    let (early, late) = (try await begin(), try await begin())

    early.call.answer(.success(first))
    await early.task.value
    #expect(model.state == .loading)
    #expect(model.tip == first)

    late.call.answer(.success(second))
    await late.task.value
    #expect(model.state == .loaded(second))
  }

  @Test func `the earlier of two loads counts when the later is cancelled`() async throws {
    let (early, late) = (try await begin(), try await begin())

    late.task.cancel()
    await late.task.value
    #expect(model.state == .loading, "the earlier is still under way")

    early.call.answer(.success(first))
    await early.task.value
    #expect(model.state == .loaded(first))
  }

  @Test(arguments: UInt64(1)...50)
  func `whatever the order of ends, nothing stays loading and the last settled load counts`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    var running: [(number: Int, task: Task<Void, Never>, call: Calls<TipOfTheDay>.Call)] = []
    for number in 1...8 {
      let (task, call) = try await begin()
      running.append((number, task, call))
    }
    var settled: [Int] = []
    for load in running.shuffled(using: &random) {
      if Bool.random(using: &random) {
        load.task.cancel()
      } else {
        load.call.answer(.success(TipOfTheDay(BrewTip("Tip \(load.number)"))))
        settled.append(load.number)
      }
      await load.task.value
      #expect(model.tip?.text == settled.max().map { "Tip \($0)" })
    }

    #expect(model.state == model.tip.map { .loaded($0) } ?? .idle)
  }

  @Test func `a view that read the state is told of its change`() async throws {
    await confirmation { changed in
      withObservationTracking {
        _ = model.state
      } onChange: {
        changed()
      }
      let task = Task { await model.load() }
      _ = try? await service.calls.next()
      task.cancel()
      await task.value
    }
  }

  @Test func `stands on a client by the remote service`() async {
    let client = FakeNetworkClient(returning: BrewTip("Rinse the filter."))
    let model = TipOfTheDayModel(service: RemoteBrewTipsService(client: client))

    await model.load()

    #expect(model.state == .loaded(first))
    #expect(client.requests.map(\.path) == ["tips/today"])
  }
}
