import Foundation
import NetCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The head of a response as a URLSession gives it.
struct ResponseHead: Sendable {
  let status: HTTPResponse.Status
  let fields: HTTPFields
  /// The length the body will have, when the response says it and the session does not change it.
  let bodyLength: Int64?

  /// The head of `response` to a request of the given method; `nil` when it is none of HTTP.
  init?(_ response: URLResponse, to method: HTTPRequest.Method) {
    guard let response = response as? HTTPURLResponse, let status = HTTPResponse.Status(code: response.statusCode)
    else { return nil }
    var fields = HTTPFields(response.allHeaderFields)
    let hasBody = method != .head && status != .noContent && status != .notModified
    if hasBody, Self.isDecoded(fields) {
      fields.remove(.contentEncoding)
      fields.remove(.contentLength)
    }
    self.status = status
    self.fields = fields
    bodyLength = hasBody ? fields[.contentLength].flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 } : 0
  }

  /// Whether the session decodes the body, so that encoding and length of the fields are no longer true of it.
  private static func isDecoded(_ fields: HTTPFields) -> Bool {
    guard let codings = fields[.contentEncoding]?.lowercased().split(whereSeparator: { $0 == "," || $0 == " " }) else {
      return false
    }
    return !codings.isEmpty && codings.allSatisfy { decodedCodings.contains(String($0)) }
  }

  #if canImport(Darwin)
  private static let decodedCodings: Set = ["gzip", "x-gzip", "deflate", "br"]
  #else
  private static let decodedCodings: Set = ["gzip", "x-gzip", "deflate", "br", "zstd"]
  #endif
}
