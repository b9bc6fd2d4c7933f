extension HTTPClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The client's name and base URL, and under it the pipeline, the outermost stage first, a line each with its settings:
  ///
  ///     HTTPClient production: https://api.example.com/v1
  ///       time limit: 30 s a call
  ///       retry: up to 3 attempts, exponential 0.5 s…30 s with full jitter, Retry-After up to 60 s, budget 20 % + 10
  ///       events: HTTPLog
  ///       collect: up to 10000000 bytes
  ///       transport: CurlTransport, HTTP/2 over TLS
  ///
  /// A middleware, observer or transport of your own stands there with its `description` when it is
  /// `CustomStringConvertible`, else with its type's name.
  public var description: String {
    "HTTPClient \(configuration)\n\(pipeline)".replacing("\n", with: "\n  ")
  }

  /// The same as ``description``: printing a client leaks no secret.
  public var debugDescription: String { description }

  /// No children: neither does dumping one.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
