#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A request of an application, described by a value: what to ask, and how to read the answer.
///
/// One type for each call, most of it defaulted:
///
///     struct GetUser: APIRequest {
///       typealias Response = User
///       let id: Int
///       var path: RequestPath { "users/\(id)" }
///     }
///     let user = try await client.send(GetUser(id: 7))
///
/// For a call without a type of its own there is ``Endpoint``.
public protocol APIRequest<Response>: Sendable {
  /// What the answer is read as.
  associatedtype Response: Sendable

  /// The call's name in logs and errors. Default: the type's name.
  var endpointName: String { get }
  /// The method. Default: `GET`.
  var method: HTTPRequest.Method { get }
  /// The path below the client's base URL, appended to it; a slash in front changes nothing.
  var path: RequestPath { get }
  /// A whole URL instead of the client's base URL and ``path``. Default: `nil`.
  ///
  /// On another origin than the base URL's, the client's default fields are not sent, since they may hold credentials.
  var absoluteURL: URL? { get }
  /// The query, appended to the base URL's own. Default: none.
  var query: Query { get }
  /// Header fields; they replace the client's default fields of the same name. Default: none.
  var fields: HTTPFields { get }
  /// The content. Default: none.
  var body: RequestBody { get }
  /// The time for the whole call, above zero. Default: `nil`, the client's.
  var timeout: Duration? { get }
  /// How stored responses are used. Default: ``CacheMode/standard``.
  var cacheMode: CacheMode { get }
  /// When a failed attempt is repeated, such as ``RetryPolicy/never``. Default: `nil`, the client's.
  var retry: RetryPolicy? { get }
  /// How redirects are followed, such as ``RedirectPolicy/never``. Default: `nil`, the client's.
  var redirects: RedirectPolicy? { get }
  /// Makes a request that is not idempotent safe to repeat, on a server that knows the field. Default: `nil`, none.
  var idempotencyKey: IdempotencyKey? { get }
  /// Whether equal calls of `GET` or `HEAD` at the same time may share one exchange, on a client that coalesces. Default:
  /// `true`.
  var mayShareFlight: Bool { get }
  /// Which responses are successes. Default: `nil`, the client's.
  var validation: ResponseValidation? { get }

  /// Reads a response that passed the validation.
  ///
  /// Defaulted when `Response` is `Decodable` (which `String`, `Data` and optionals are too) and when it is `Void`.
  func decode(_ response: CollectedResponse, coders: Coders) throws -> Response
}

extension APIRequest {
  /// The type's name.
  public var endpointName: String { String(describing: Self.self) }
  /// `GET`.
  public var method: HTTPRequest.Method { .get }
  /// `nil`: the request goes to the client's base URL.
  public var absoluteURL: URL? { nil }
  /// None.
  public var query: Query { [:] }
  /// None.
  public var fields: HTTPFields { [:] }
  /// None.
  public var body: RequestBody { .none }
  /// `nil`: the client's.
  public var timeout: Duration? { nil }
  /// ``CacheMode/standard``.
  public var cacheMode: CacheMode { .standard }
  /// `nil`: the client's.
  public var retry: RetryPolicy? { nil }
  /// `nil`: the client's.
  public var redirects: RedirectPolicy? { nil }
  /// `nil`: none.
  public var idempotencyKey: IdempotencyKey? { nil }
  /// `true`.
  public var mayShareFlight: Bool { true }
  /// `nil`: the client's.
  public var validation: ResponseValidation? { nil }
}

extension APIRequest where Response: Decodable {
  /// Reads the response by ``CollectedResponse/value(as:coders:)``.
  public func decode(_ response: CollectedResponse, coders: Coders) throws -> Response {
    try response.value(as: Response.self, coders: coders)
  }
}

extension APIRequest {
  /// Succeeds, whatever the body holds.
  ///
  /// Constrained here and not on the extension, from which Swift would infer `Response` for a generic request.
  public func decode(_ response: CollectedResponse, coders: Coders) throws -> Response where Response == Void { () }
}
