/// Decides which responses are successes. It sees the head, before the body is decoded.
public struct ResponseValidation: Sendable {
  private let check: @Sendable (HTTPResponse.Status, HTTPFields) throws -> Bool

  /// 2xx is a success, every other status is not. The default.
  public static let successful = ResponseValidation { status, _ in status.kind == .successful }

  /// Every response is a success.
  public static let anyStatus = ResponseValidation { _, _ in true }

  /// The given statuses are successes, every other is not.
  public static func statuses(_ accepted: Set<HTTPResponse.Status>) -> ResponseValidation {
    ResponseValidation { status, _ in accepted.contains(status) }
  }

  /// A rule of the caller's own: `false` fails the call with the status, an error thrown fails it with that error.
  public init(_ isSuccess: @escaping @Sendable (HTTPResponse.Status, HTTPFields) throws -> Bool) {
    check = isSuccess
  }

  func isSuccess(_ response: HTTPResponse) throws -> Bool {
    try check(response.status, response.fields)
  }
}
