#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Bodies that tell what they are, so that a torn or mixed one shows: a line with a name, a slot and a generation, and bytes that
/// follow from it.
struct Content: Hashable {
  var name: String
  var slot: Int
  var generation: Int

  var url: String { "https://example.com/\(name)/\(slot)" }

  private var line: String { "\(name) \(slot) \(generation)\n" }

  /// The body: most are short, one in eight has several pieces.
  var bytes: Data {
    var random = line.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let size = random % 8 == 0 ? 200_000 + random % 400_000 : random % 5_000
    var words = [UInt64](repeating: 0, count: Int(size / 8))
    for index in words.indices {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      words[index] = random
    }
    return Data(line.utf8) + words.withUnsafeBytes { Data($0) }
  }

  init(name: String, slot: Int, generation: Int) {
    (self.name, self.slot, self.generation) = (name, slot, generation)
  }

  /// What a body is; `nil` when it is not whole.
  init?(_ bytes: Data) {
    let words = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self).split(separator: " ")
    guard words.count == 3, let slot = Int(words[1]), let generation = Int(words[2]) else { return nil }
    self.init(name: String(words[0]), slot: slot, generation: generation)
    guard self.bytes == bytes else { return nil }
  }
}
