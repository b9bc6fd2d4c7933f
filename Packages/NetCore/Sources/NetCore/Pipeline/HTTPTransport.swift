/// Sends a request and brings the response: the seam below the pipeline. A wrapped transport is a transport.
///
/// A transport calls ``HTTPRequest/validate()`` first, sends each request once (never again by itself unless the method
/// is idempotent or the request has an `Idempotency-Key`), follows no redirect, keeps no cookie and caches nothing: all
/// of that is the pipeline's. It returns when the head is there, and any status is a success to it.
public protocol HTTPTransport: Sendable {
  /// Sends `request`.
  ///
  /// - Throws: ``APIError`` when there is no response; `CancellationError`, at once and with the connection closed, when
  ///   the task is cancelled.
  func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse

  /// Whether every wait of ``send(_:context:)`` ends by ``RequestContext/onInterruption(_:)``, too, and not only when the
  /// task is cancelled. A client then starts no task of its own to cancel at a limit of time. Default: `false`.
  var isInterruptible: Bool { get }
}

extension HTTPTransport {
  /// `false`.
  public var isInterruptible: Bool { false }
}
