#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Digests of a whole representation (RFC 9530, section 3).
enum ReprDigest {
  /// The SHA-256 in the value of a `Repr-Digest` field; `nil` when there is none that can be understood.
  ///
  /// Of several the last counts (RFC 9651, section 4.2.2).
  static func sha256(in fieldValue: String) -> Data? {
    let values = fieldValue.split(separator: ",").compactMap { member -> Data? in
      let parts = member.split(separator: "=", maxSplits: 1).map(trim)
      guard parts.count == 2, parts[0] == "sha-256" else { return nil }
      return byteSequence(trim(parts[1].prefix { $0 != ";" }))
    }
    return values.last.flatMap { $0.count == SHA256.size ? $0 : nil }
  }

  /// The digest that a person or a `SHA256SUMS` file gives.
  ///
  /// - Throws: ``APIError`` of kind `invalidRequest` when it is none.
  static func sha256(hexadecimal text: String) throws -> Data {
    let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
    guard digits.count == text.utf8.count, digits.count == 2 * SHA256.size else {
      throw APIError.invalidRequest("A SHA-256 has 64 hexadecimal digits: the one given has not.")
    }
    return Data(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }

  /// `:BASE64:` (RFC 9651, section 3.3.5).
  private static func byteSequence(_ text: Substring) -> Data? {
    guard text.utf8.count > 2, text.hasPrefix(":"), text.hasSuffix(":") else { return nil }
    return Data(base64Encoded: String(text.dropFirst().dropLast()))
  }

  private static func trim(_ text: Substring) -> Substring {
    let head = text.drop { $0 == " " || $0 == "\t" }
    return head.dropLast(head.reversed().prefix { $0 == " " || $0 == "\t" }.count)
  }
}
