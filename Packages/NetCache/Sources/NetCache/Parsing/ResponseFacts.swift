import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a response's fields say about storing and using it, parsed once.
struct ResponseFacts: Sendable {
  let control: CacheControl
  /// When the response was made; when it came, if it does not say that (RFC 9110, section 6.6.1).
  let date: Date
  /// The seconds the response had spent in caches on its way, as they say (RFC 9111, section 5.1).
  let age: TimeInterval
  let hasAge: Bool
  /// The seconds for which it is fresh, when it says so; 0 when what it says is invalid (RFC 9111, section 4.2.1).
  let explicitLifetime: TimeInterval?
  let eTag: EntityTag?
  let lastModified: Date?
  /// `Last-Modified` as it was sent, which is how it is sent back.
  let lastModifiedText: String?
  /// What the representation was selected by; `nil` for `*`, which no request matches (RFC 9111, section 4.1).
  let vary: [HTTPField.Name]?

  init(_ fields: HTTPFields, receivedAt: Date) {
    var found = Found()
    for field in fields { found.note(field) }
    control = CacheControl(found.cacheControl)
    let date = found.date.flatMap { HTTPDate.parse($0, now: receivedAt) } ?? receivedAt
    self.date = date
    hasAge = found.age != nil
    age = found.age.flatMap(Self.age) ?? 0
    eTag = found.eTag.map(EntityTag.init)
    lastModifiedText = found.lastModified
    lastModified = found.lastModified.flatMap { HTTPDate.parse($0, now: receivedAt) }
    vary = Self.vary(found.vary)
    explicitLifetime =
      switch control.maxAge {
      case .some(let seconds): seconds
      case .invalid: 0
      case .none:
        Self.expiry(found.expires, now: receivedAt).map { max(0, $0.timeIntervalSince(date)) }
      }
  }

  /// The first of a list of values, when that is a number of seconds.
  private static func age(_ value: String) -> TimeInterval? {
    let first = value.prefix { $0 != "," }
    let trimmed = first.split(separator: " ", omittingEmptySubsequences: true)
    return trimmed.count == 1 ? Seconds.parse(trimmed[0]) : nil
  }

  /// When the response expires: `nil` without `Expires`, the distant past for several that differ or one that is no date
  /// (RFC 9111, section 5.3).
  private static func expiry(_ values: [String], now: Date) -> Date? {
    guard let first = values.first else { return nil }
    guard values.allSatisfy({ $0 == first }) else { return .distantPast }
    return HTTPDate.parse(first, now: now) ?? .distantPast
  }

  private static func vary(_ values: [String]) -> [HTTPField.Name]? {
    var names: [HTTPField.Name] = []
    for value in values {
      for part in value.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
        guard part != "*", names.count < CacheControl.maximumNames, let name = HTTPField.Name(String(part))
        else { return nil }
        if !names.contains(name) { names.append(name) }
      }
    }
    return names
  }
}

/// The values of the fields that matter, found in one pass.
private struct Found {
  var cacheControl: [String] = []
  var date: String?
  var age: String?
  var expires: [String] = []
  var eTag: String?
  var lastModified: String?
  var vary: [String] = []

  mutating func note(_ field: HTTPField) {
    switch field.name {
    case .cacheControl: cacheControl.append(field.value)
    case .date: date = date ?? field.value
    case .age: age = age ?? field.value
    case .expires: expires.append(field.value)
    case .eTag: eTag = eTag ?? field.value
    case .lastModified: lastModified = lastModified ?? field.value
    case .vary: vary.append(field.value)
    default: break
    }
  }
}
