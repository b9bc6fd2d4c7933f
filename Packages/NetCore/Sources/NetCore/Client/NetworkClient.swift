/// What a feature holds: sends a described request and returns its typed answer.
///
/// Small enough to fake by hand. ``HTTPClient`` is the concrete one; the others wrap it.
public protocol NetworkClient: Sendable {
  /// Sends `request` and returns its value with the response it came in.
  ///
  /// - Throws: ``APIError``, and `CancellationError` when the caller's task was cancelled.
  func reply<R: APIRequest>(to request: R) async throws -> Reply<R.Response>
}

extension NetworkClient {
  /// Sends `request` and returns its value.
  ///
  /// - Throws: ``APIError``, and `CancellationError` when the caller's task was cancelled.
  @discardableResult
  public func send<R: APIRequest>(_ request: R) async throws -> R.Response {
    try await reply(to: request).value
  }

  /// Sends `endpoint` and returns its value, whose type is named here: `send(Endpoint(path: "a"), as: A.self)`.
  ///
  /// - Throws: ``APIError``, and `CancellationError` when the caller's task was cancelled.
  public func send<Response>(_ endpoint: Endpoint<Response>, as type: Response.Type) async throws -> Response {
    try await reply(to: endpoint).value
  }
}
