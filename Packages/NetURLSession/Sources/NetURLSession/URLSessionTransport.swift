public import NetCore

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// A transport on URLSession: the natural one on Apple platforms, and on Linux a second choice with the limits below.
///
///     let client = HTTPClient(baseURL: url, transport: URLSessionTransport())
///
/// It makes one session, for its life, from a copy of the configuration it is given, and ends it when the transport and
/// the last response from it are gone. Keep one transport and share it. Of the configuration the kinds of network to use,
/// TLS versions, proxies, protocol classes and connection limits count. Cookies, cache and credentials are switched off
/// and its time limits do not apply: all of that is the pipeline's, above the transport, as redirects are.
///
/// What it does not do, on any platform:
/// - Bodies of requests that are streams, a body with `GET`, `HEAD` or `TRACE`, a field value that is not UTF-8, and
///   `TE: trailers` are refused with `APIError` of kind `unsupported`. Trailer fields are never seen.
/// - Fields of the same name are sent as one, joined by `", "`, in no order that can be relied on. Those of a response
///   come joined and sorted by name; only `Set-Cookie` is taken apart again, by a rule that a comma in a cookie's value
///   may deceive. White space and the case of names may differ from what the server sent.
/// - Compressed content is always decoded; `Content-Encoding` and `Content-Length` are then removed.
/// - `Accept`, `Accept-Encoding`, `Accept-Language` and `User-Agent` are added where the request has none.
/// - A `POST` with content but no `Content-Type` is sent as `application/x-www-form-urlencoded`.
/// - A request whose kept-alive connection turns out to be dead may be sent again by the system, a `POST` too.
///
/// What it does not do on Linux (swift-corelibs-foundation 6.3):
/// - Nothing holds a fast server back: a streamed response that waits to be read is cut off at `maximumUnreadBytes`.
/// - **A server can end the process**, with trailer fields after a chunked body, or by closing the connection inside a
///   response's header. Use it with servers you trust only.
/// - When a kept-alive connection turns out to be dead under a request with content, the session keeps a core busy until
///   the call's time limit.
/// - IPv6 addresses in URLs and a configuration with a proxy dictionary are refused as `unsupported`; proxies come from
///   the environment (`http_proxy`, `https_proxy`, `no_proxy`).
/// - No certificate authority, client certificate or pinned key of your own: only the system's bundle counts.
/// - The body of a redirect (301, 302, …) without a `Location` is lost.
/// - While responses arrive at full speed, every other exchange of the process waits, and its cancellation too.
/// - A response with a field value that is not UTF-8, without a space after a field's colon, or with a status line that
///   ends with its code, fails as a whole. A lower-case `set-cookie` replaces an earlier `Set-Cookie`.
/// - Of two `Content-Length` fields that differ, the last one counts.
/// - Content whose compression was cut short arrives as a success, without the missing part.
/// - Most failures have no code of their own in the system: they are told apart by its messages, as well as that goes.
public final class URLSessionTransport: HTTPTransport {
  /// How many bytes of a streamed response may wait to be read unless a transport is told otherwise: 1 MiB on Apple
  /// platforms, where receiving then pauses; 64 MiB on Linux, where it fails.
  public static var defaultMaximumUnreadBytes: Int {
    #if canImport(Darwin)
    1 << 20
    #else
    64 << 20
    #endif
  }

  /// Fields from the configuration's `httpAdditionalHeaders`.
  let additionalFields: HTTPFields
  private let sendsAdditionalFields: Bool
  private let session: ManagedSession
  private let configurationProblem: APIError?
  private let maximumUnreadBytes: Int

  /// A transport.
  ///
  /// - Parameters:
  ///   - configuration: Copied; later changes to it have no effect. Its `httpAdditionalHeaders` are sent with every
  ///     request that does not set them itself, to whichever origin: credentials belong in a client's default fields.
  ///     What the transport cannot honour fails every request as `unsupported`.
  ///   - maximumUnreadBytes: The most bytes of a streamed response that wait in memory to be read. Beyond that, receiving
  ///     pauses on Apple platforms; on Linux the response fails with `APIError` of kind `tooLarge`.
  public convenience init(
    configuration: URLSessionConfiguration = .default,
    maximumUnreadBytes: Int = URLSessionTransport.defaultMaximumUnreadBytes
  ) {
    self.init(configuration: configuration, maximumUnreadBytes: maximumUnreadBytes, sendsAdditionalHeaders: true)
  }

  init(
    configuration: URLSessionConfiguration, maximumUnreadBytes: Int = defaultMaximumUnreadBytes,
    sendsAdditionalHeaders: Bool
  ) {
    self.maximumUnreadBytes = maximumUnreadBytes
    sendsAdditionalFields = sendsAdditionalHeaders
    do {
      additionalFields = try configuration.additionalFields()
      configurationProblem = configuration.problem
    } catch {
      additionalFields = [:]
      configurationProblem = error
    }
    session = ManagedSession(configuration: configuration.withoutPolicies())
  }

  /// Sends `request` once and returns when the response's head is there, or all of its body when the context wants it
  /// collected.
  ///
  /// - Throws: `APIError`, of kind `unsupported` for what URLSession cannot do; `CancellationError`, at once, while the
  ///   connection is being closed.
  public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
    try request.validate()
    if let configurationProblem { throw configurationProblem }
    let exchange = try exchange(for: request, delivery: context.delivery)
    try Task.checkCancellation()
    return try await exchange.response()
  }

  private func exchange(for request: HTTPRequest, delivery: RequestContext.Delivery) throws -> Exchange {
    var request = request
    if sendsAdditionalFields, !additionalFields.isEmpty {
      var fields = additionalFields
      fields.override(with: request.fields)
      request.fields = fields
    }
    try request.refuseUnsupported()
    var urlRequest = try URLRequest(head: request)
    urlRequest.timeoutInterval = URLSessionConfiguration.neverTimeout
    var bodyFile: URL?
    switch request.body.content {
    case .bytes(let bytes):
      if !bytes.isEmpty { urlRequest.httpBody = bytes }
    case .file(let path):
      if !request.body.isEmpty { bodyFile = URL(filePath: path) }
    case .stream:
      throw URLRequest.streamRefused
    }
    let limit: Exchange.BufferLimit =
      switch delivery {
      case .collected(let limit): .whole(limit)
      case .streaming: .unread(maximumUnreadBytes)
      }
    return Exchange(urlRequest, method: request.method, bodyFile: bodyFile, session: session, limit: limit)
  }
}

extension HTTPRequest {
  /// Throws for what no URLSession can do with a valid request, and would do wrong in silence.
  fileprivate func refuseUnsupported() throws {
    if fields.contains(.te) {
      throw APIError(
        .unsupported, reason: "URLSession delivers no trailer fields: remove TE, or use another transport.")
    }
    #if !canImport(Darwin)
    if url.host()?.contains(":") == true {
      throw APIError(
        .unsupported,
        reason: "URLSession on Linux connects to no IPv6 address in a URL: use the host's name, or another transport.")
    }
    #endif
  }
}

extension URLSessionTransport: CustomStringConvertible {
  /// The main setting on one line: `URLSessionTransport, 67108864 bytes unread at most`.
  public var description: String { "URLSessionTransport, \(maximumUnreadBytes) bytes unread at most" }
}
