import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a stored response is answered as.
enum StoredAnswer: Sendable, Hashable {
  /// As it is.
  case whole
  /// As 304: the caller's own condition says that it has the response already (RFC 9111, section 4.3.2).
  case notModified
  /// As 206: these bytes of it (RFC 9110, section 14.2).
  case part(Range<Int64>)
  /// The server has to answer: the part asked for cannot be cut here.
  case none
}

extension StoredAnswer {
  /// What the stored response with a body of `length` bytes is answered as.
  ///
  /// - Parameter mayBeNotModified: Whether the caller takes a 304.
  init(_ head: StoredHead, length: Int64, to request: RequestFacts, mayBeNotModified: Bool) {
    if mayBeNotModified, request.hasCondition, head.status == .ok, Self.isNotModified(head, for: request) {
      self = .notModified
    } else if let range = request.range, head.status == .ok, request.method == .get,
      Self.mayBeCut(head, for: request.ifRange)
    {
      self = Self.bytes(range, of: length).map(Self.part) ?? .none
    } else {
      self = .whole
    }
  }

  /// `If-None-Match` is compared weakly, and counts alone when it is there (RFC 9110, section 13.2.2).
  private static func isNotModified(_ head: StoredHead, for request: RequestFacts) -> Bool {
    if let tags = request.ifNoneMatch {
      if tags == "*" { return true }
      guard let tag = head.facts.eTag else { return false }
      return EntityTag.list(tags).contains { $0.matchesWeakly(tag) }
    }
    guard let since = request.ifModifiedSince.flatMap({ HTTPDate.parse($0, now: head.responseTime) }) else {
      return false
    }
    return head.facts.lastModified ?? head.facts.date <= since
  }

  /// Whether the response is the one of which the caller has a part already: compared strongly, a date exactly (RFC 9110,
  /// section 13.1.5).
  private static func mayBeCut(_ head: StoredHead, for ifRange: String?) -> Bool {
    guard let ifRange else { return true }
    if let tag = head.facts.eTag, EntityTag(ifRange).matchesStrongly(tag) { return true }
    return ifRange == head.facts.lastModifiedText
  }

  /// The bytes that a `Range` of one part names: `bytes=0-99`, `bytes=100-`, `bytes=-100`; `nil` for any other.
  private static func bytes(_ value: String, of length: Int64) -> Range<Int64>? {
    let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
    let ends = parts[1].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = position(ends[0]), let last = position(ends[1]) else { return nil }
    switch (first, last) {
    case (let first?, let last?) where first <= last && first < length: return first..<min(last + 1, length)
    case (let first?, nil) where first < length: return first..<length
    case (nil, let count?) where count > 0 && length > 0: return max(0, length - count)..<length
    default: return nil
    }
  }

  /// A number of bytes, or none at all; `nil` for what is neither.
  private static func position(_ text: Substring) -> Int64?? {
    if text.isEmpty { return .some(nil) }
    guard text.utf8.count <= 18, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return .some(Int64(text))
  }
}
