public import NetCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An `HTTPTransport` on the system's libcurl: HTTP/1.1 and HTTP/2, with back-pressure, limits of time and size, TLS of
/// one's own choosing, and no crash whatever the server sends.
///
///     let client = HTTPClient(baseURL: url, transport: CurlTransport())
///
/// A thread of its own runs libcurl, so that no thread of Swift's pool is ever blocked. It starts with the first request and
/// ends when the last reference to the transport is gone and its exchanges have ended.
///
/// Fields that libcurl would add by itself (`Accept`, `User-Agent`, `Content-Type`) are sent only as the request has them.
/// A request with `Expect: 100-continue` waits a second at most for the server's word before it sends its content. When the
/// server refuses with 417, that is the response; its content may be left out.
///
/// libcurl sends a request again by itself when a connection that was used before closes without a word. That is let happen
/// for idempotent methods and requests with an `Idempotency-Key`; every other one ends with `APIError` of kind
/// `transport(.connectionLost)` that says the server may have seen it. So does one that an HTTP/2 server refused on such a
/// connection, because libcurl does not tell the two apart.
public final class CurlTransport: HTTPTransport {
  /// The settings.
  public let configuration: Configuration
  private let loops: [CurlLoop]
  private let turn = Atomic(0)

  /// A transport with default settings.
  public init() {
    configuration = Configuration()
    loops = [CurlLoop(configuration)]
  }

  /// A transport with the given settings.
  ///
  /// - Throws: `APIError` of kind `invalidRequest` for a setting out of its bounds or a file that cannot be read, of kind
  ///   `unsupported` for what the linked libcurl cannot do.
  public init(_ configuration: Configuration) throws {
    try configuration.validate()
    self.configuration = configuration
    loops = (0..<configuration.threads).map { _ in CurlLoop(configuration) }
  }

  deinit {
    for loop in loops { loop.release() }
  }

  /// Sends `request`.
  ///
  /// With `context.delivery` of `.collected(upTo:)` it returns when the content is complete, already in memory; for more than
  /// that many bytes with the head, and the body to be read as it arrives.
  ///
  /// - Throws: `APIError` when there is no response; `CancellationError`, at once and with the connection closed, when
  ///   the task is cancelled, and after ``shutdown()``.
  public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
    try Task.checkCancellation()
    let exchange = try exchange(for: request, delivery: context.delivery)
    context.onInterruption { exchange.cancel() }
    return try Self.response(try await exchange.open(), from: exchange)
  }

  @inline(never)  // What it takes to make one is not to be a part of what an exchange holds while it waits.
  private func exchange(for request: HTTPRequest, delivery: RequestContext.Delivery) throws -> Exchange {
    let request = try WireRequest(request, delivery: delivery, configuration: configuration)
    let loop = loops.count == 1 ? loops[0] : loops[turn.add(1, ordering: .relaxed).newValue % loops.count]
    return Exchange(request, on: loop)
  }

  @inline(never)
  private static func response(_ head: ReceivedHead, from exchange: Exchange) throws -> HTTPResponse {
    do {
      return try HTTPResponse(head, from: exchange)
    } catch {
      exchange.cancel()
      throw error
    }
  }

  /// `true`.
  public var isInterruptible: Bool { true }

  /// Cancels what is under way, refuses further requests, and returns when all threads have ended and all connections are
  /// closed.
  public func shutdown() async {
    for loop in loops { await loop.shutdown() }
  }
}
