import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What one request will be, decided by chance from the seed and its number alone.
struct Plan: Sendable {
  /// How the response is asked for and read.
  enum Reading: CaseIterable, Sendable {
    /// By the transport, collected.
    case collected
    /// By the transport, chunk by chunk.
    case streamed
    /// By the transport, its body dropped after the first chunk.
    case dropped
    /// By a client.
    case typed
    /// By a client, chunk by chunk.
    case opened
  }

  /// What is sent.
  enum Sending: CaseIterable, Sendable {
    case get, anotherGet, putBytes, postBytes, postStream, keyedPost
  }

  let number: Int
  /// Which trouble, of all.
  let place: Int
  let reading: Reading
  let sending: Sending
  /// How many bytes are sent, when any are: up to more than libcurl is given at once, or the server skips unread.
  let uploadSize: Int
  /// When the caller gives up; `nil` never.
  let cancellation: Duration?
  /// The time limit of a client's call; `nil` for the client's own.
  let timeout: Duration?

  init(number: Int, seed: UInt64) {
    var chance = Chance(seed: seed, number: number)
    self.number = number
    place = Int.random(in: 0..<Trouble.all.count, using: &chance)
    reading = Reading.allCases.randomElement(using: &chance)!
    sending = Sending.allCases.randomElement(using: &chance)!
    uploadSize = Int.random(in: 1...400_000, using: &chance)
    let isCancelled = Int.random(in: 0..<10, using: &chance) < 3
    let delay = Duration.microseconds(Int.random(in: 0...250, using: &chance) * Int.random(in: 0...250, using: &chance))
    cancellation = isCancelled ? delay : nil
    let isHasty = Int.random(in: 0..<20, using: &chance) == 0
    timeout = isHasty ? .milliseconds(Int.random(in: 1...50, using: &chance)) : nil
  }

  var trouble: Trouble { Trouble.all[place] }

  /// Whether the server must see the request once at most.
  var isOnce: Bool { sending == .postBytes || sending == .postStream }

  var method: HTTPRequest.Method {
    switch sending {
    case .get, .anotherGet: .get
    case .putBytes: .put
    case .postBytes, .postStream, .keyedPost: .post
    }
  }

  var body: HTTPBody {
    switch sending {
    case .get, .anotherGet: .empty
    case .putBytes, .postBytes, .keyedPost: HTTPBody(Data(count: uploadSize))
    case .postStream:
      HTTPBody(isReplayable: false) { [uploadSize] in
        AsyncStream { continuation in
          for start in stride(from: 0, to: uploadSize, by: 10_000) {
            continuation.yield(Data(count: min(10_000, uploadSize - start)))
          }
          continuation.finish()
        }
      }
    }
  }
}

extension Plan: CustomStringConvertible {
  var description: String { "request \(number) (\(trouble.name); \(sending), \(reading))" }
}

/// Numbers that look random and follow from a seed (SplitMix64).
struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64, number: Int) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(number) &* 0xD134_2543_DE82_EF95
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
