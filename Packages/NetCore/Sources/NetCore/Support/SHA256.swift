#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// SHA-256 (FIPS 180-4, section 6.2), of bytes that come in pieces. For the kits here alone: an app has CryptoKit's.
@_spi(NetKits) public struct SHA256: Sendable {
  /// The bytes of a digest.
  static let size = 32
  private static let blockSize = 64

  private var state = SIMD8<UInt32>(
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)
  /// What came since the last whole block.
  private var pending: [UInt8] = []
  private var length: UInt64 = 0

  init() {}

  /// The digest of `bytes`.
  public static func digest(of bytes: Data) -> Data {
    var hash = SHA256()
    hash.update(bytes)
    return hash.digest()
  }

  /// Adds bytes.
  mutating func update(_ bytes: Data) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Adds bytes.
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    length += UInt64(bytes.count)
    var rest = bytes[...]
    if !pending.isEmpty {
      let head = rest.prefix(Self.blockSize - pending.count)
      pending.append(contentsOf: head)
      rest = rest.dropFirst(head.count)
      guard pending.count == Self.blockSize else { return }
      pending.withUnsafeBytes { compress($0) }
      pending.removeAll(keepingCapacity: true)
    }
    let whole = rest.prefix(rest.count / Self.blockSize * Self.blockSize)
    compress(UnsafeRawBufferPointer(rebasing: whole))
    pending.append(contentsOf: rest.dropFirst(whole.count))
  }

  /// The digest of all bytes so far; more may follow.
  func digest() -> Data {
    var last = self
    let zeros = (Self.blockSize * 2 - 9 - pending.count) % Self.blockSize
    let end = [0x80] + [UInt8](repeating: 0, count: zeros) + Self.bytes(of: length &* 8)
    end.withUnsafeBytes { last.update($0) }
    return Data((0..<8).flatMap { Self.bytes(of: last.state[$0]) })
  }

  private static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// Works whole blocks in.
  private mutating func compress(_ blocks: UnsafeRawBufferPointer) {
    guard let first = blocks.baseAddress else { return }
    var hash = state
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
      Self.constants.withUnsafeBufferPointer { constants in
        guard let words = words.baseAddress, let constants = constants.baseAddress else { return }
        for start in stride(from: 0, to: blocks.count, by: Self.blockSize) {
          Self.fill(words, from: first + start)
          hash &+= Self.rounds(hash, words, constants)
        }
      }
    }
    state = hash
  }

  /// The message schedule of a block.
  @inline(__always)
  private static func fill(_ words: UnsafeMutablePointer<UInt32>, from block: UnsafeRawPointer) {
    for index in 0..<16 {
      words[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
    }
    for index in 16..<64 {
      let (early, late) = (words[index - 15], words[index - 2])
      let small0 = rotated(early, 7) ^ rotated(early, 18) ^ (early >> 3)
      let small1 = rotated(late, 17) ^ rotated(late, 19) ^ (late >> 10)
      words[index] = words[index - 16] &+ small0 &+ words[index - 7] &+ small1
    }
  }

  /// The 64 rounds, eight at a time, so that the eight variables change their names and not their places.
  @inline(__always)
  private static func rounds(
    _ hash: SIMD8<UInt32>, _ words: UnsafePointer<UInt32>, _ constants: UnsafePointer<UInt32>
  ) -> SIMD8<UInt32> {
    var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
    var (e, f, g, h) = (hash[4], hash[5], hash[6], hash[7])
    for index in stride(from: 0, to: 64, by: 8) {
      round(a, b, c, &d, e, f, g, &h, constants[index] &+ words[index])
      round(h, a, b, &c, d, e, f, &g, constants[index + 1] &+ words[index + 1])
      round(g, h, a, &b, c, d, e, &f, constants[index + 2] &+ words[index + 2])
      round(f, g, h, &a, b, c, d, &e, constants[index + 3] &+ words[index + 3])
      round(e, f, g, &h, a, b, c, &d, constants[index + 4] &+ words[index + 4])
      round(d, e, f, &g, h, a, b, &c, constants[index + 5] &+ words[index + 5])
      round(c, d, e, &f, g, h, a, &b, constants[index + 6] &+ words[index + 6])
      round(b, c, d, &e, f, g, h, &a, constants[index + 7] &+ words[index + 7])
    }
    return SIMD8(a, b, c, d, e, f, g, h)
  }

  /// A round: the new `e` is left in `d`, the new `a` in `h`.
  @inline(__always)
  private static func round(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32,
    _ addend: UInt32
  ) {
    let choice = ((f ^ g) & e) ^ g
    let majority = (a & b) | ((a | b) & c)
    let first = h &+ (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) &+ choice &+ addend
    d &+= first
    h = first &+ (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
  }

  @inline(__always)
  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    (word >> count) | (word << (32 - count))
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}
