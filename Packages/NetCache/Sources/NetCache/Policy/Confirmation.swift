import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPFields {
  /// These fields with the condition that asks whether a stored response is still good, in place of any of the caller's own
  /// (RFC 9111, section 4.3.1): both validators, of which a server looks at the first that it knows.
  func asking(about head: StoredHead?) -> HTTPFields {
    var fields = self
    fields[.ifNoneMatch] = head?.facts.eTag?.text
    fields[.ifModifiedSince] = head?.facts.lastModifiedText
    return fields
  }
}

extension CachePolicy {
  /// The stored response that a 304 confirms (RFC 9111, section 4.3.4); `nil` when it is none of them.
  ///
  /// A strong tag is compared strongly, a weak one weakly; of several the newest counts. That of the response that was asked
  /// about is compared weakly, as `If-None-Match` is: nginx confirms what it compressed, `W/"a"`, by `"a"`. A 304 without a
  /// validator confirms the one that was asked about; when none was, the only one there is, if that has none either.
  func confirmed(by fields: HTTPFields, asked: StoredResponse?, among stored: [StoredResponse]) -> StoredResponse? {
    let newest = stored.sorted { $0.head.responseTime > $1.head.responseTime }
    let candidates = asked.map { asked in [asked] + newest.filter { $0.id != asked.id } } ?? newest
    if let tag = fields[.eTag].map(EntityTag.init) {
      if let asked, asked.head.facts.eTag?.matchesWeakly(tag) == true { return asked }
      return candidates.first { stored in
        guard let own = stored.head.facts.eTag else { return false }
        return tag.isWeak ? own.matchesWeakly(tag) : own.matchesStrongly(tag)
      }
    }
    if let date = fields[.lastModified] {
      return candidates.first { $0.head.facts.lastModifiedText == date }
        ?? asked.flatMap { $0.head.facts.lastModifiedText == nil ? $0 : nil }
    }
    if let asked { return asked }
    guard stored.count == 1, stored[0].head.facts.eTag == nil, stored[0].head.facts.lastModifiedText == nil else {
      return nil
    }
    return stored[0]
  }

  /// Whether the answer to a `HEAD` is about a stored response: the validators and the length it names are the same (RFC
  /// 9111, section 4.3.5).
  func isAbout(_ stored: StoredHead, _ fields: HTTPFields) -> Bool {
    [HTTPField.Name.eTag, .lastModified, .contentLength].allSatisfy { name in
      guard let value = fields[name] else { return true }
      guard let own = stored.fields[name] else { return name == .contentLength }
      return value == own
    }
  }
}
