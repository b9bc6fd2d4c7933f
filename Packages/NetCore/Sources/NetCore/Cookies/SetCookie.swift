#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The value of a `Set-Cookie` field, taken apart (RFC 6265bis, section 5.6). It knows neither the time nor who sent it.
struct SetCookie: Equatable {
  /// The most bytes that name and value have together: 4,096.
  static let maximumPairSize = 4_096
  /// The most bytes of an attribute's value: 1,024. A longer attribute counts as not there.
  static let maximumAttributeSize = 1_024

  /// The name's bytes; none for a cookie that has only a value.
  let name: [UInt8]
  /// The value's bytes.
  let value: [UInt8]
  /// The seconds of `Max-Age`.
  private(set) var maxAge: Int?
  /// The date of `Expires`.
  private(set) var expires: Date?
  /// The domain, in lower case and without its leading dot.
  private(set) var domain: String?
  /// The path; empty for one that does not begin with `/`, which stands for the request's.
  private(set) var path: String?
  private(set) var isSecure = false
  private(set) var isHTTPOnly = false
  private(set) var sameSite: Cookie.SameSite?

  /// `nil` for a field that is ignored as a whole: one with control characters, with neither name nor value, or with more
  /// of them than may be.
  init?(_ bytes: [UInt8]) {
    guard bytes.allSatisfy({ ($0 >= 0x20 || $0 == UInt8(ascii: "\t")) && $0 != 0x7F }) else { return nil }
    var parts = bytes[...].split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)[...]
    let (name, value) = Self.halves(parts.removeFirst())
    // Without "=" there is no name: the text is the value.
    self.name = value == nil ? [] : Array(name)
    self.value = Array(value ?? name)
    guard 1...Self.maximumPairSize ~= self.name.count + self.value.count else { return nil }
    for part in parts {
      let (name, value) = Self.halves(part)
      if (value ?? []).count <= Self.maximumAttributeSize { take(name, value ?? []) }
    }
  }

  /// An attribute. Of several of one name the last that can be understood counts.
  private mutating func take(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
    switch Self.lowercased(name) {
    case "expires":
      if let date = CookieDate.parse(value) { expires = date }
    case "max-age":
      if let seconds = Self.seconds(value) { maxAge = seconds }
    case "domain":
      domain = Self.lowercased(value.first == UInt8(ascii: ".") ? value.dropFirst() : value)
    case "path":
      path = value.first == UInt8(ascii: "/") ? String(decoding: value, as: UTF8.self) : ""
    case "secure":
      isSecure = true
    case "httponly":
      isHTTPOnly = true
    case "samesite":
      sameSite = Cookie.SameSite(rawValue: Self.lowercased(value))
    default:
      break
    }
  }

  /// What stands before and after the first `=`, without white space around; no second half without one.
  private static func halves(_ bytes: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, ArraySlice<UInt8>?) {
    let equals = bytes.firstIndex(of: UInt8(ascii: "="))
    return (trimmed(bytes[..<(equals ?? bytes.endIndex)]), equals.map { trimmed(bytes[($0 + 1)...]) })
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let head = bytes.drop(while: isBlank)
    return head[..<(head.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? head.startIndex)]
  }

  /// A whole number that may be negative; one too large to count is the largest there is.
  private static func seconds(_ bytes: ArraySlice<UInt8>) -> Int? {
    let isNegative = bytes.first == UInt8(ascii: "-")
    let digits = isNegative ? bytes.dropFirst() : bytes
    guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    let number = Int(String(decoding: digits, as: UTF8.self)) ?? .max
    return isNegative ? -number : number
  }

  /// Text with its ASCII letters in lower case.
  private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
