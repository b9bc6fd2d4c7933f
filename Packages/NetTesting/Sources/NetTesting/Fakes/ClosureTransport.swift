public import NetCore
import Synchronization

/// A transport without a network: a closure answers each request. The fast and default tier of tests.
///
///     let transport = ClosureTransport { request in
///       request.path == "/tips/today" ? .json(#"{"tip": "Rinse the filter."}"#) : .status(404)
///     }
///     let client = HTTPClient(baseURL: URL(string: "https://example.com")!, transport: transport)
///
/// It refuses what every transport refuses, and records what it got.
public final class ClosureTransport: HTTPTransport {
  /// Answers a request, or throws what the transport is to throw.
  public typealias Handler = @Sendable (RecordedRequest) async throws -> HTTPResponse

  /// The most bytes of a request's body that are recorded: 64 MiB. A larger one fails the request.
  public static let maximumBodySize = 64 << 20

  private let handler: Handler
  private let recorded = Mutex<[RecordedRequest]>([])

  /// A transport whose requests `handler` answers; they may come at the same time.
  public init(_ handler: @escaping Handler) {
    self.handler = handler
  }

  /// The requests so far, in the order they came.
  public var requests: [RecordedRequest] {
    recorded.withLock { $0 }
  }

  /// Records `request` and answers it by the closure.
  public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
    try Task.checkCancellation()
    try request.validate()
    let record = RecordedRequest(
      method: request.method, url: request.url, fields: request.fields,
      body: try await request.body.collect(upTo: Self.maximumBodySize), attempt: context.attempt)
    recorded.withLock { $0.append(record) }
    return try await handler(record)
  }
}
