public import NetCore

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension URLRequest {
  /// The same request for code that needs a `URLRequest`.
  ///
  /// Fields of the same name become one, their values joined by `", "` (cookies by `"; "`); the order of the fields is
  /// lost. `Host` and `Content-Length` are left to the session, which sets them.
  /// - Throws: What `HTTPRequest.validate()` throws; `APIError` of kind `unsupported` for a body that is a stream or
  ///   a file, for a body of `GET`, `HEAD` or `TRACE`, for a field value that is not UTF-8, and for a method that a
  ///   `URLRequest` would write in another way.
  public init(_ request: HTTPRequest) throws {
    try request.validate()
    try self.init(head: request)
    switch request.body.content {
    case .bytes(let bytes):
      if !bytes.isEmpty { httpBody = bytes }
    case .file:
      throw Self.unsupported("A URLRequest has no body that is a file: send the HTTPRequest by URLSessionTransport.")
    case .stream:
      throw Self.streamRefused
    }
  }

  /// All of a valid request but its body.
  init(head request: HTTPRequest) throws {
    if !request.body.isEmpty, [.get, .head, .trace].contains(request.method) {
      throw Self.unsupported("URLSession sends no body with \(request.method): use another method, or the query.")
    }
    self.init(url: request.url)
    httpMethod = request.method.rawValue
    guard httpMethod == request.method.rawValue else {
      throw Self.unsupported(
        "URLSession would send the method \(request.method) as \(httpMethod ?? "GET"): write it in capitals.")
    }
    var fields = request.fields
    fields.remove(.host)
    fields.remove(.contentLength)
    allHTTPHeaderFields = try fields.dictionary()
  }

  static var streamRefused: APIError {
    unsupported(
      "URLSession cannot send a body that is a stream: collect it into bytes, write it to a file and send that, or use "
        + "another transport.")
  }

  private static func unsupported(_ reason: String) -> APIError {
    APIError(.unsupported, reason: reason)
  }
}
