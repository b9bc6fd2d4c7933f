public import Foundation
public import NetCore

extension HTTPResponse {
  /// A response with a JSON text.
  public static func json(_ text: String, status: Status = .ok, fields: HTTPFields = [:]) -> HTTPResponse {
    bytes(Data(text.utf8), contentType: "application/json", status: status, fields: fields)
  }

  /// A response with plain text.
  public static func text(_ text: String, status: Status = .ok, fields: HTTPFields = [:]) -> HTTPResponse {
    bytes(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status, fields: fields)
  }

  /// A response with bytes of any type.
  public static func bytes(
    _ bytes: Data, contentType: String, status: Status = .ok, fields: HTTPFields = [:]
  ) -> HTTPResponse {
    var all: HTTPFields = [.contentType: contentType, .contentLength: "\(bytes.count)"]
    all.override(with: fields)
    return HTTPResponse(status: status, fields: all, body: Body(bytes))
  }

  /// A response without content.
  public static func status(_ status: Status, fields: HTTPFields = [:]) -> HTTPResponse {
    HTTPResponse(status: status, fields: fields)
  }
}
