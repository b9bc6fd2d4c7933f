@_spi(NetKits) import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The SHA-256 of `text` as 64 hexadecimal digits: tells texts apart without keeping them.
func fingerprint(of text: String) -> String {
  let digits = Array("0123456789abcdef".utf8)
  let bytes = SHA256.digest(of: Data(text.utf8)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  return String(decoding: bytes, as: UTF8.self)
}
