import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension StoredHead {
  /// The head of a response that is to be stored, for the request it answers.
  convenience init(
    _ response: HTTPResponse, to request: HTTPRequest, key: CacheKey, requestTime: Date, responseTime: Date
  ) {
    let hop = response.fields.connectionFields
    var fields = HTTPFields(response.fields.filter { $0.isStored && !hop.contains($0.name) })
    if !fields.contains(.date) { fields[.date] = HTTPDate.text(responseTime) }
    let facts = ResponseFacts(fields, receivedAt: responseTime)
    self.init(
      key: key, variant: VariantDigest.make(of: facts.vary ?? [], in: request.fields), status: response.status,
      fields: fields, requestTime: requestTime, responseTime: responseTime, facts: facts)
  }

  /// Whether the response was selected by fields that `request` has alike (RFC 9111, section 4.1).
  func matches(_ request: HTTPRequest) -> Bool {
    guard let names = facts.vary else { return false }
    return names.isEmpty ? variant.isEmpty : variant == VariantDigest.make(of: names, in: request.fields)
  }

  /// This head with what a newer response about it says (RFC 9111, section 3.2): its fields replace those of the same name,
  /// but for those that belong to the stored body, and `Vary`, by which it is found.
  func freshened(by fields: HTTPFields, requestTime: Date, responseTime: Date) -> StoredHead {
    let hop = fields.connectionFields
    var newer = HTTPFields(fields.filter { $0.isStored && !$0.describesBody && !hop.contains($0.name) })
    // The times of the old response say nothing about the new one.
    if !newer.contains(.date) { newer[.date] = HTTPDate.text(responseTime) }
    var all = self.fields
    all.remove(.age)
    all.override(with: newer)
    return StoredHead(
      key: key, variant: variant, status: status, fields: all, requestTime: requestTime, responseTime: responseTime)
  }
}

extension HTTPFields {
  /// The fields that `Connection` names: they are of the connection, and none of the message (RFC 9110, section 7.6.1).
  fileprivate var connectionFields: Set<HTTPField.Name> {
    guard let value = self[.connection] else { return [] }
    return Set(value.split { $0 == "," || $0 == " " || $0 == "\t" }.compactMap { HTTPField.Name(String($0)) })
  }
}

extension HTTPField {
  /// Whether the field is stored: not those of a connection or a proxy (RFC 9111, section 3.1), and no `Set-Cookie`, which
  /// must act once and is a credential (RFC 9111, section 7.3).
  fileprivate var isStored: Bool {
    switch name.canonicalName {
    case "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
      "proxy-authenticate", "proxy-authentication-info", "proxy-authorization", "set-cookie", "set-cookie2":
      false
    default: true
    }
  }

  fileprivate var describesBody: Bool {
    switch name {
    case .contentLength, .contentEncoding, .contentRange, .vary: true
    default: false
    }
  }
}
