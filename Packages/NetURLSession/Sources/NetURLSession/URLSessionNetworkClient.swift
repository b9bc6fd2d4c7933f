public import Foundation
public import NetCore

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A client on URLSession: an `HTTPClient` over a ``URLSessionTransport``.
///
///     let client = URLSessionNetworkClient(baseURL: URL(string: "https://api.example.com/v1")!)
///     let tip: Tip = try await client.send(Endpoint(path: "tips/today"))
///
/// It does not use the session it is given, but copies its configuration and makes a session of its own, once, under the
/// rules that ``URLSessionTransport`` describes. `httpAdditionalHeaders` become default fields of the client, which are
/// sent to its base URL's origin only.
public final class URLSessionNetworkClient: NetworkClient, HTTPStreaming {
  private let client: HTTPClient

  /// A client with default settings.
  ///
  /// - Parameters:
  ///   - baseURL: Where paths are appended.
  ///   - session: Whose configuration is copied. Default: the shared one.
  public convenience init(baseURL: URL, session: URLSession = .shared) {
    self.init(HTTPClient.Configuration(baseURL: baseURL), session: session)
  }

  /// A client with the given settings; their default fields win over the session's `httpAdditionalHeaders`.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - session: Whose configuration is copied. Default: the shared one.
  public init(_ configuration: HTTPClient.Configuration, session: URLSession = .shared) {
    let transport = URLSessionTransport(configuration: session.configuration, sendsAdditionalHeaders: false)
    var configuration = configuration
    var fields = transport.additionalFields
    fields.override(with: configuration.defaultFields)
    configuration.defaultFields = fields
    client = HTTPClient(configuration, transport: transport)
  }

  /// The settings.
  public var configuration: HTTPClient.Configuration { client.configuration }

  /// Sends `request` as `HTTPClient.reply(to:)` does.
  public func reply<R: APIRequest>(to request: R) async throws -> Reply<R.Response> {
    try await client.reply(to: request)
  }

  /// Sends `request` as `HTTPClient.open(_:)` does.
  public func open<R: APIRequest>(_ request: R) async throws -> HTTPResponse {
    try await client.open(request)
  }

  /// Ends the client as `HTTPClient.shutdown(_:)` does.
  public func shutdown(_ mode: HTTPClient.ShutdownMode = .draining) async {
    await client.shutdown(mode)
  }
}
