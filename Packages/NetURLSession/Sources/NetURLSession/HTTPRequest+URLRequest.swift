public import NetCore

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension HTTPRequest {
  /// The same request as a `URLRequest` describes: URL, method, header fields and `httpBody`.
  ///
  /// Its time limit, cache policy and the other settings are no part of a message and are left out.
  /// - Throws: `APIError` of kind `invalidURL` without a URL; of kind `invalidRequest` when the method or a field's name
  ///   is not a token; of kind `unsupported` for an `httpBodyStream`, which cannot be sent again. A value with a control
  ///   character is refused when the request is sent.
  public init(_ urlRequest: URLRequest) throws {
    guard let url = urlRequest.url else {
      throw APIError(.invalidURL, reason: "The URLRequest has no URL: give it an absolute http or https one.")
    }
    guard let method = Method(urlRequest.httpMethod ?? "GET") else {
      throw APIError(
        .invalidRequest,
        reason: "The URLRequest's httpMethod is not a method: use letters, digits and !#$%&'*+-.^_`|~ only.")
    }
    guard urlRequest.httpBodyStream == nil else {
      throw APIError(
        .unsupported,
        reason: "The URLRequest has an httpBodyStream: set httpBody, or send an Endpoint whose body is a file.")
    }
    let fields = try HTTPFields(ofRequest: urlRequest.allHTTPHeaderFields ?? [:])
    self.init(method: method, url: url, fields: fields, body: urlRequest.httpBody.map { HTTPBody($0) } ?? .empty)
  }
}

extension HTTPFields {
  /// The fields of a `URLRequest` or a configuration, sorted by name.
  init(ofRequest dictionary: [String: String]) throws(APIError) {
    self.init()
    for (text, value) in dictionary.sorted(by: { $0.key < $1.key }) {
      guard let name = HTTPField.Name(text) else {
        throw APIError(
          .invalidRequest,
          reason: "A header field's name is not a token: use letters, digits and !#$%&'*+-.^_`|~ only.")
      }
      append(name, value)
    }
  }
}
