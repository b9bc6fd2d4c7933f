import Foundation
import Testing

@_spi(NetKits) @testable import NetCore

@Suite(.timeLimit(.minutes(1))) struct SHA256Tests {
  struct Vector: CustomTestStringConvertible {
    let message: Data
    let digest: String

    init(_ text: String, _ digest: String) {
      (message, self.digest) = (Data(text.utf8), digest)
    }

    init(hexadecimal: String, _ digest: String) {
      let digits = hexadecimal.compactMap(\.hexDigitValue)
      message = Data(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
      self.digest = digest
    }

    var testDescription: String { "\(message.count) bytes" }
  }

  /// From FIPS 180-4's examples, and the short messages of the NIST's validation suite (SHA256ShortMsg).
  static let vectors = [
    Vector("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    Vector("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    Vector(
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    Vector(
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"),
    Vector(hexadecimal: "d3", "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"),
    Vector(hexadecimal: "11af", "5ca7133fa735326081558ac312c620eeca9970d1e70a4b95533d956f072d1f98"),
    Vector(hexadecimal: "c98c8e55", "7abc22c0ae5af26ce93dbb94433a0e0b2e119d014f8e7f65bd56c61ccccd9504"),
  ]

  @Test(arguments: vectors) func `the vectors of the standard`(_ vector: Vector) {
    #expect(hexadecimal(SHA256.digest(of: vector.message)) == vector.digest)
  }

  @Test func `a million letters, in pieces of all sizes`() {
    var (hash, rest, size) = (SHA256(), Data(repeating: UInt8(ascii: "a"), count: 1_000_000), 1)
    while !rest.isEmpty {
      hash.update(rest.prefix(size))
      rest = rest.dropFirst(size)
      size = size % 1_999 + 1
    }
    #expect(hexadecimal(hash.digest()) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test(arguments: 0...200) func `where the pieces meet does not count`(_ length: Int) {
    let message = someBytes(length)
    var hash = SHA256()
    hash.update(message.prefix(length / 3))
    #expect(hash.digest() == SHA256.digest(of: message.prefix(length / 3)), "and asking changes nothing")
    hash.update(message.dropFirst(length / 3))
    #expect(hash.digest() == SHA256.digest(of: message))
  }

  private func hexadecimal(_ bytes: Data) -> String {
    bytes.map { String(format: "%02x", $0) }.joined()
  }
}
