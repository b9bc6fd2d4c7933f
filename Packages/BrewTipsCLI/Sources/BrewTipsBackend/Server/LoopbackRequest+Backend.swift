import NetCore
import NetLoopback

extension HTTPResponse.Status {
  static let misdirectedRequest: Self = 421
}

extension LoopbackRequest {
  /// Whether the client means this machine. A web page elsewhere can lead a browser to any port of it, but only under the
  /// page's own host name.
  var isForLoopback: Bool {
    guard let host = fields[.host] else { return true }
    return ["127.0.0.1", "localhost", "[::1]"].contains { host == $0 || host.lowercased().hasPrefix($0 + ":") }
  }

  /// Method and path for a log, cut where they are long, and without the query, which may hold a secret.
  var summary: String {
    "\(method.rawValue.prefix(20)) \(path.prefix(200))"
  }

  /// Whether the content is declared as JSON. (What a web page elsewhere can send unasked never is.)
  var declaresJSON: Bool {
    let type = (fields[.contentType] ?? "").prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
    return type == "application/json" || type.hasSuffix("+json")
  }

  /// Whether `If-None-Match` names this entity tag, or any (RFC 9110, section 13.1.2).
  func names(entityTag: String) -> Bool {
    (fields[.ifNoneMatch] ?? "").split(separator: ",").contains { item in
      let tag = item.filter { $0 != " " && $0 != "\t" }
      return tag == "*" || tag == entityTag || tag == "W/" + entityTag
    }
  }
}
