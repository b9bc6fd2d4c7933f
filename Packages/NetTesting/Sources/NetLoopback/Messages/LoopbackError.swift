public import NetCore

/// An error that has a status: what a handler throws to answer with problem details (RFC 9457), and what the server
/// itself finds wrong with a request.
///
///     guard let user = users[id] else { throw LoopbackError(.notFound, "There is no user \(id).") }
public struct LoopbackError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The status of the answer.
  public let status: HTTPResponse.Status
  /// The problem's detail, which the client is told.
  public let detail: String

  /// An error that is answered with `status` and `detail`.
  public init(_ status: HTTPResponse.Status, _ detail: String) {
    self.status = status
    self.detail = detail
  }

  /// Status and detail.
  public var description: String { "\(status): \(detail)" }

  static func badRequest(_ detail: String) -> Self {
    LoopbackError(.badRequest, detail)
  }
}
