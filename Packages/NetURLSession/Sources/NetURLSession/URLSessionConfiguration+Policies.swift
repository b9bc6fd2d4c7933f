import Foundation
import NetCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSessionConfiguration {
  /// A session's own time limit, in seconds: so long that the pipeline's always come first. (On Linux an infinite one
  /// ends the process.)
  static let neverTimeout: TimeInterval = 3_600

  /// A copy without what the pipeline does, so that nothing is stored, sent or timed behind its back.
  func withoutPolicies() -> URLSessionConfiguration {
    let copy = copy() as! URLSessionConfiguration
    copy.urlCache = nil
    copy.requestCachePolicy = .reloadIgnoringLocalCacheData
    copy.httpCookieStorage = nil
    copy.httpCookieAcceptPolicy = .never
    copy.httpShouldSetCookies = false
    copy.urlCredentialStorage = nil
    copy.httpAdditionalHeaders = nil
    copy.timeoutIntervalForRequest = Self.neverTimeout
    return copy
  }

  /// What a transport could not honour, with the remedy; `nil` when there is nothing.
  var problem: APIError? {
    if identifier != nil {
      return APIError(
        .unsupported, reason: "A background configuration delivers to files only: give a default or ephemeral one.")
    }
    #if !canImport(Darwin)
    if connectionProxyDictionary?.isEmpty == false {
      return APIError(
        .unsupported,
        reason: "URLSession on Linux ignores connectionProxyDictionary: set http_proxy in the environment instead.")
    }
    #endif
    return nil
  }

  /// `httpAdditionalHeaders` as fields.
  func additionalFields() throws(APIError) -> HTTPFields {
    var headers: [String: String] = [:]
    for (name, value) in httpAdditionalHeaders ?? [:] {
      guard let name = name as? String, let value = value as? String else {
        throw APIError(.invalidRequest, reason: "httpAdditionalHeaders has a name or value that is not a String.")
      }
      headers[name] = value
    }
    let fields = try HTTPFields(ofRequest: headers)
    if let name = fields.rejected.first {
      throw APIError(.invalidRequest, reason: "The value of \(name) in httpAdditionalHeaders has a control character.")
    }
    return fields
  }
}
