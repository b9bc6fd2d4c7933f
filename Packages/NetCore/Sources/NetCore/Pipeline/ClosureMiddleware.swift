/// A middleware made of a closure, for a simple one:
///
///     configuration.attemptMiddlewares = [
///       .intercepting { request, context, next in
///         var request = request
///         request.fields["X-Attempt"] = "\(context.attempt)"
///         return try await next.send(request, context: context)
///       }
///     ]
public struct ClosureMiddleware: HTTPMiddleware {
  /// Handles a request; the last parameter is the rest of the pipeline.
  public typealias Handler =
    @Sendable (HTTPRequest, RequestContext, any HTTPTransport) async throws -> HTTPResponse

  private let handler: Handler

  /// A middleware that does what `handler` does.
  public init(_ handler: @escaping Handler) {
    self.handler = handler
  }

  /// Handles `request` by the closure.
  public func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    try await handler(request, context, next)
  }
}

extension HTTPMiddleware where Self == ClosureMiddleware {
  /// A middleware that does what `handler` does.
  public static func intercepting(_ handler: @escaping ClosureMiddleware.Handler) -> ClosureMiddleware {
    ClosureMiddleware(handler)
  }
}
