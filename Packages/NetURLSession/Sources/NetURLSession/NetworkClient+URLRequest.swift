public import NetCore

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension NetworkClient {
  /// Sends a `URLRequest` and decodes its answer, for code that has one:
  ///
  ///     let users: [User] = try await client.send(urlRequest)
  ///
  /// Its URL must be absolute; on another origin than the client's base URL, the client's default fields are not sent.
  /// Method, header fields, `httpBody` and cache policy are kept. A `timeoutInterval` other than 60 seconds, which is
  /// what a `URLRequest` has unless told otherwise, is the time for the whole call. The other settings are the session's
  /// business and are not looked at.
  /// - Throws: `APIError`, of kind `unsupported` for an `httpBodyStream`; `CancellationError`.
  public func send<T: Decodable & Sendable>(_ urlRequest: URLRequest) async throws -> T {
    try await reply(to: URLRequestCall<T>(urlRequest)).value
  }
}

/// A `URLRequest` as a call of a client.
private struct URLRequestCall<Value: Decodable & Sendable>: APIRequest {
  typealias Response = Value

  let endpointName: String
  let method: HTTPRequest.Method
  let absoluteURL: URL?
  let fields: HTTPFields
  let body: RequestBody
  let timeout: Duration?
  let cacheMode: CacheMode

  var path: RequestPath { .root }

  init(_ urlRequest: URLRequest) throws {
    let request = try HTTPRequest(urlRequest)
    method = request.method
    absoluteURL = request.url
    endpointName = "\(request.method) \(request.url.host() ?? "")"
    fields = request.fields
    body = request.body.isEmpty ? .none : .stream(request.body, contentType: nil)
    timeout = try Self.timeout(of: urlRequest)
    cacheMode = CacheMode(urlRequest.cachePolicy)
  }

  private static func timeout(of urlRequest: URLRequest) throws -> Duration? {
    let seconds = urlRequest.timeoutInterval
    if seconds == 60 { return nil }
    guard seconds > 0, seconds <= 1e9 else {
      throw APIError(
        .invalidRequest,
        reason: "The URLRequest's timeoutInterval of \(seconds) is no time limit: give seconds above 0.")
    }
    return .seconds(seconds)
  }
}

extension CacheMode {
  /// What `policy` asks for.
  fileprivate init(_ policy: URLRequest.CachePolicy) {
    switch policy {
    case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: self = .reload
    case .reloadRevalidatingCacheData: self = .noCache
    case .returnCacheDataElseLoad: self = .forceCache
    case .returnCacheDataDontLoad: self = .onlyIfCached
    case .useProtocolCachePolicy: self = .standard
    @unknown default: self = .standard
    }
  }
}
