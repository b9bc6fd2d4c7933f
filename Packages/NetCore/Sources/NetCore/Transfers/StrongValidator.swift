#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What tells that the content of a URL is, byte for byte, still the one it was (RFC 9110, section 8.8.1).
enum StrongValidator {
  /// How long before its response a representation must have been modified: enough for two clocks that disagree (RFC 9110,
  /// section 8.8.2.2).
  private static let leastAge = 60.0
  /// The most bytes of a validator.
  private static let maximumSize = 1_000

  /// The validator for `If-Range` in a response's fields; `nil` when they have none (RFC 9110, section 13.1.5).
  ///
  /// It is the `ETag`, if that is a strong one. A `Last-Modified` counts only without any `ETag`, and when the response's
  /// `Date` is a minute or more after it.
  static func find(in fields: HTTPFields, now: Date) -> String? {
    if let tag = fields[.eTag] { return isStrongTag(tag) ? tag : nil }
    guard let modified = fields[.lastModified], let time = HTTPDate.parse(modified, now: now),
      let date = fields[.date].flatMap({ HTTPDate.parse($0, now: now) }),
      date.timeIntervalSince(time) >= leastAge
    else { return nil }
    return modified
  }

  /// Whether a 206 may belong to content of another version than `validator`'s. (It need not repeat a `Last-Modified`.)
  static func contradicts(_ validator: String, _ fields: HTTPFields) -> Bool {
    let field = isStrongTag(validator) ? fields[.eTag] : fields[.eTag] ?? fields[.lastModified]
    return field.map { $0 != validator } ?? false
  }

  /// Whether `text` is one entity tag, and not a weak one (RFC 9110, section 8.8.3).
  static func isStrongTag(_ text: String) -> Bool {
    let bytes = text.utf8
    guard bytes.count >= 2, bytes.count <= maximumSize, bytes.first == UInt8(ascii: "\""),
      bytes.last == UInt8(ascii: "\"")
    else { return false }
    return bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7F }
  }
}
