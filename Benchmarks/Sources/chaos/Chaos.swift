import CMeasure
import NetCore
import NetCurl
import NetLoopback
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Sends many requests to a server that does everything wrong, gives up on some at random, and looks at what is left.
///
/// Exit codes: 0 when every request ended in a documented way and nothing was left behind, 1 when not, 3 for a hang.
@main
struct Chaos {
  private let options: Options
  private let tally: Tally
  private let watchdog: Watchdog

  static func main() async throws {
    let chaos = Chaos(Options(CommandLine.arguments.dropFirst()))
    guard try await chaos.run() else { exit(1) }
  }

  private init(_ options: Options) {
    self.options = options
    tally = Tally(requests: options.requests)
    watchdog = Watchdog(options)
  }

  /// Whether all went as documented.
  private func run() async throws -> Bool {
    print("\(options.requests) requests, \(Options.inFlight) in flight, seed \(options.seed)")
    Trouble.prepare()
    watchdog.start()
    let (tally, seed) = (tally, options.seed)
    let server = try await LoopbackServer.start { request in
      if let number = request.pathSegments.last.flatMap({ Int($0) }) { tally.arrived(Plan(number: number, seed: seed)) }
      return try await Trouble.answer(request)
    }
    var remains: [Remains] = []
    let size = options.requests / Options.legs
    for leg in 0..<Options.legs {
      let end = leg == Options.legs - 1 ? options.requests : (leg + 1) * size
      remains.append(try await run(leg * size..<end, on: server))
      print("  leg \(leg + 1): \(remains[leg])")
      fflush(nil)
    }
    await server.stop()
    judge(remains)
    tally.printTable()
    for violation in tally.violations { print("VIOLATION \(violation)") }
    print(tally.violations.isEmpty ? "\nall as documented" : "\nfailed, seed \(options.seed)")
    fflush(nil)
    return tally.violations.isEmpty
  }

  /// Sends the requests with the given numbers over a transport that is then shut down and dropped.
  private func run(_ numbers: Range<Int>, on server: LoopbackServer) async throws -> Remains {
    weak var dropped: CurlTransport?
    do {
      let transport = try Caller.transport(options)
      dropped = transport
      await send(numbers, by: Caller(transport, baseURL: server.baseURL))
      await watchdog.watch("the shutdown", key: -1) { await transport.shutdown() }
    }
    if dropped != nil { tally.violate("a transport is still there after its requests, its shutdown and its last use") }
    try await watchdog.watch(Lingering(server: server), key: -1) {
      try await server.wait { $0.openConnections == 0 && $0.activeRequests == 0 }
    }
    // A thread that has said that it ends takes a moment to be gone.
    for _ in 0..<100 where Remains().curlThreads > 0 { try await Task.sleep(for: .milliseconds(10)) }
    return Remains()
  }

  private func send(_ numbers: Range<Int>, by caller: Caller) async {
    let next = Counter(numbers.lowerBound)
    await withDiscardingTaskGroup { group in
      for _ in 0..<Options.inFlight {
        group.addTask {
          while case let number = next.next(), number < numbers.upperBound {
            let plan = Plan(number: number, seed: options.seed)
            await watchdog.watch(plan, key: number) { await send(plan, by: caller) }
          }
        }
      }
    }
  }

  private func send(_ plan: Plan, by caller: Caller) async {
    let task = Task { await caller.send(plan) }
    var cancelled: ContinuousClock.Instant?
    if let delay = plan.cancellation {
      if delay > .zero { try? await Task.sleep(for: delay) }
      cancelled = .now
      task.cancel()
    }
    let (outcome, error) = await task.value
    tally.ended(plan, outcome, error, afterCancellation: outcome == .cancelled ? cancelled?.duration(to: .now) : nil)
  }

  private func judge(_ remains: [Remains]) {
    // The first legs fill caches and pools.
    guard let early = remains.dropFirst(2).first, let late = remains.last else { return }
    if late.descriptors > early.descriptors {
      tally.violate("descriptors: \(early.descriptors), later \(late.descriptors)")
    }
    if late.curlThreads > 0 { tally.violate("\(late.curlThreads) threads of libcurl are left") }
    let growth = late.heap - early.heap
    if growth > 1_000_000 { tally.violate("the live heap grew by \(growth) bytes") }
  }
}

/// What is there between two legs.
struct Remains: CustomStringConvertible {
  let heap = measure_live_heap()
  let resident = measure_resident_memory()
  let descriptors = measure_entries("/proc/self/fd")
  let curlThreads = Self.threads(named: "NetCurl")

  private static func threads(named name: String) -> Int {
    let folder = "/proc/self/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.count { thread in
      (try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8))?.hasPrefix(name) == true
    }
  }

  var description: String {
    "live heap \(heap / 1_000) kB, resident \(resident / 1_000_000) MB, \(descriptors) descriptors, \(curlThreads) threads"
  }
}

/// A server whose connections should have ended.
private struct Lingering: CustomStringConvertible {
  let server: LoopbackServer

  var description: String { "the end of the server's connections (\(server.counts))" }
}

/// Counts up.
private final class Counter: Sendable {
  private let value: Atomic<Int>

  init(_ start: Int) { value = Atomic(start) }

  func next() -> Int { value.add(1, ordering: .relaxed).oldValue }
}
