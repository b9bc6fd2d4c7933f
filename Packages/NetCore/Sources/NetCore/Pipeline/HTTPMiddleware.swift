/// A stage of the pipeline: it may change the request, send it on by `next` (or not, or more than once), and change the
/// response.
///
/// A middleware that drops a response discards its body (``HTTPResponse/Body/discard()``), so that the connection is
/// free before it waits or sends again.
public protocol HTTPMiddleware: Sendable {
  /// Handles `request`; `next` is the rest of the pipeline.
  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse
}

extension HTTPTransport {
  /// This transport behind `middlewares`, the first of them outermost.
  func behind(_ middlewares: [any HTTPMiddleware]) -> any HTTPTransport {
    middlewares.reversed().reduce(self as any HTTPTransport) { Stage($1, next: $0) }
  }
}

/// A middleware with the rest of its pipeline.
private final class Stage: HTTPTransport, CustomStringConvertible {
  private let middleware: any HTTPMiddleware
  private let next: any HTTPTransport
  let isInterruptible: Bool

  init(_ middleware: any HTTPMiddleware, next: any HTTPTransport) {
    self.middleware = middleware
    self.next = next
    isInterruptible = (middleware as? any Interruptible)?.isInterruptible == true && next.isInterruptible
  }

  func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
    try await middleware.intercept(request, context: context, next: next)
  }

  /// This stage and those below it, a line each.
  var description: String {
    stageLine(middleware) + "\n" + (next is Stage ? "\(next)" : "transport: " + stageLine(next))
  }
}

/// What `print(client)` says of a stage or another part: its own description on one line when it has one, else its type's
/// name. (Swift's default description would show what it holds, which may be a secret.)
func stageLine(_ part: Any) -> String {
  let text = (part as? any CustomStringConvertible)?.description ?? "\(type(of: part))"
  return text.replacing("\n", with: " ").displayable(upTo: 300)
}
