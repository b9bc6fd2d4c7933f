#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A strong entity tag (RFC 9110, section 8.8.3) that changes with the content: its 64-bit FNV-1a hash.
func entityTag(of content: Data) -> String {
  let hash = content.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  return "\"\(String(hash, radix: 16))\""
}
