#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The ready-made ``APIRequest``, for a call without a type of its own.
///
///     let tip: Tip = try await client.send(Endpoint(path: "tips/today"))
///     try await client.send(Endpoint<Void>(.delete, path: "users/\(id)"))
public struct Endpoint<Response: Sendable>: APIRequest {
  /// The call's name in logs and errors; `METHOD path` unless given.
  public var endpointName: String {
    get { name ?? "\(method) \(path.encoded)" }
    set { name = newValue }
  }
  /// The method.
  public var method: HTTPRequest.Method
  /// The path below the client's base URL.
  public var path: RequestPath
  /// A whole URL instead of the client's base URL and ``path``.
  public var absoluteURL: URL?
  /// The query.
  public var query: Query
  /// Header fields.
  public var fields: HTTPFields
  /// The content.
  public var body: RequestBody
  /// The time for the whole call; `nil` for the client's.
  public var timeout: Duration?
  /// How stored responses are used.
  public var cacheMode: CacheMode
  /// When a failed attempt is repeated; `nil` for the client's policy.
  public var retry: RetryPolicy?
  /// How redirects are followed; `nil` for the client's policy.
  public var redirects: RedirectPolicy?
  /// Makes a request that is not idempotent safe to repeat.
  public var idempotencyKey: IdempotencyKey?
  /// Whether equal calls at the same time may share one exchange.
  public var mayShareFlight = true
  /// Which responses are successes; `nil` for the client's.
  public var validation: ResponseValidation?
  private var name: String?
  private let read: @Sendable (CollectedResponse, Coders) throws -> Response

  /// An endpoint below the client's base URL whose answer `decode` reads.
  public init(
    _ method: HTTPRequest.Method = .get, path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
    body: RequestBody = .none, timeout: Duration? = nil, cacheMode: CacheMode = .standard,
    validation: ResponseValidation? = nil, name: String? = nil,
    decode: @escaping @Sendable (CollectedResponse, Coders) throws -> Response
  ) {
    self.name = name
    self.method = method
    self.path = path
    self.query = query
    self.fields = fields
    self.body = body
    self.timeout = timeout
    self.cacheMode = cacheMode
    self.validation = validation
    read = decode
  }

  /// Reads the response as the endpoint was made to.
  public func decode(_ response: CollectedResponse, coders: Coders) throws -> Response {
    try read(response, coders)
  }
}

extension Endpoint where Response: Decodable {
  /// An endpoint below the client's base URL.
  public init(
    _ method: HTTPRequest.Method = .get, path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
    body: RequestBody = .none, timeout: Duration? = nil, cacheMode: CacheMode = .standard,
    validation: ResponseValidation? = nil, name: String? = nil
  ) {
    self.init(
      method, path: path, query: query, fields: fields, body: body, timeout: timeout, cacheMode: cacheMode,
      validation: validation, name: name
    ) { try $0.value(as: Response.self, coders: $1) }
  }

  /// An endpoint anywhere, such as a URL the server sent.
  ///
  /// On another origin than the client's base URL, its default fields are not sent, since they may hold credentials.
  public init(_ method: HTTPRequest.Method = .get, url: URL, body: RequestBody = .none, name: String? = nil) {
    self.init(method, path: .root, body: body, name: name ?? "\(method) \(url.host() ?? "")")
    absoluteURL = url
  }
}

extension Endpoint where Response == Void {
  /// An endpoint below the client's base URL, whose answer has no content that matters.
  public init(
    _ method: HTTPRequest.Method = .get, path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
    body: RequestBody = .none, timeout: Duration? = nil, cacheMode: CacheMode = .standard,
    validation: ResponseValidation? = nil, name: String? = nil
  ) {
    self.init(
      method, path: path, query: query, fields: fields, body: body, timeout: timeout, cacheMode: cacheMode,
      validation: validation, name: name
    ) { _, _ in }
  }

  /// An endpoint anywhere, such as a URL the server sent, whose answer has no content that matters.
  ///
  /// On another origin than the client's base URL, its default fields are not sent, since they may hold credentials.
  public init(_ method: HTTPRequest.Method = .get, url: URL, body: RequestBody = .none, name: String? = nil) {
    self.init(method, path: .root, body: body, name: name ?? "\(method) \(url.host() ?? "")")
    absoluteURL = url
  }
}
