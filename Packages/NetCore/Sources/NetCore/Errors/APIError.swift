#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The one error of a client: what went wrong, with which request, and whether the server may have seen it.
///
/// Match it by kind, whatever the details:
///
///     do { try await client.send(request) }
///     catch APIError.notFound { … }
///     catch let error as APIError where error.isTimeout { … }
///
/// `errorDescription` is for a person at a screen, `debugDescription` for the developer; neither shows a value that
/// ``Redactor/standard`` does not allow. A caller's own cancellation is `CancellationError`, never an `APIError`.
public struct APIError: Error, Sendable {
  private struct Parts {
    let kind: Kind
    let reason: String
    let underlying: (any Error)?
    var request: FailedRequest?
    var response: FailedResponse?
    var decodingFailure: DecodingFailure?
    var attempts = 0
    var failures: [FailedAttempt] = []
    var whyNotRetried: String?
    var redirects: [Redirect] = []
    var mayHaveReachedServer: Bool
    var retryAfter: Duration?
    var mayBeRepeated = true
  }

  private var parts: CopyOnWrite<Parts>

  /// An error of any kind, as a transport or a fake throws it.
  ///
  /// - Parameters:
  ///   - kind: What went wrong.
  ///   - reason: A sentence for developers that names the remedy where there is one; no secrets.
  ///   - mayHaveReachedServer: Whether the server may have got a part of the request. Default: as the kind tells, and
  ///     `true` where it does not.
  ///   - underlying: The error that led to this one.
  public init(
    _ kind: Kind, reason: String, mayHaveReachedServer: Bool? = nil, underlying: (any Error)? = nil
  ) {
    parts = CopyOnWrite(
      Parts(
        kind: kind, reason: reason, underlying: underlying,
        mayHaveReachedServer: mayHaveReachedServer ?? kind.mayHaveReachedServer))
  }

  /// What went wrong.
  public var kind: Kind { parts.value.kind }

  /// What exactly, with the remedy where there is one: a sentence for developers, without secrets.
  public var reason: String { parts.value.reason }

  /// The error that led to this one, when there was one. Nothing of it is shown in a description.
  public var underlying: (any Error)? { parts.value.underlying }

  /// The request, once the client knows it.
  public internal(set) var request: FailedRequest? {
    get { parts.value.request }
    set { parts.value.request = newValue }
  }

  /// The response, when there was one.
  public internal(set) var response: FailedResponse? {
    get { parts.value.response }
    set { parts.value.response = newValue }
  }

  /// Why decoding failed, for the kind `decoding`.
  public internal(set) var decodingFailure: DecodingFailure? {
    get { parts.value.decodingFailure }
    set { parts.value.decodingFailure = newValue }
  }

  /// How many times the request was sent, or tried to be; 0 when nothing was.
  public internal(set) var attempts: Int {
    get { parts.value.attempts }
    set { parts.value.attempts = newValue }
  }

  /// The attempts that failed before the last one, the first first.
  public internal(set) var failures: [FailedAttempt] {
    get { parts.value.failures }
    set { parts.value.failures = newValue }
  }

  /// Why there was no other attempt, when the retry policy repeats such a failure: `a POST without an Idempotency-Key may
  /// act twice`.
  public internal(set) var whyNotRetried: String? {
    get { parts.value.whyNotRetried }
    set { parts.value.whyNotRetried = newValue }
  }

  /// The redirects that were followed before, the first first.
  public internal(set) var redirects: [Redirect] {
    get { parts.value.redirects }
    set { parts.value.redirects = newValue }
  }

  /// Whether the server may have got the request, or a part of it. When it is `false`, sending it again is safe.
  public internal(set) var mayHaveReachedServer: Bool {
    get { parts.value.mayHaveReachedServer }
    set { parts.value.mayHaveReachedServer = newValue }
  }

  /// How long until the limit that refused the attempt would let one through, for the kind `rejected` where that is known.
  public internal(set) var retryAfter: Duration? {
    get { parts.value.retryAfter }
    set { parts.value.retryAfter = newValue }
  }

  /// Whether another attempt of the same call could end better, as far as the stages below the retries know.
  var mayBeRepeated: Bool {
    get { parts.value.mayBeRepeated }
    set { parts.value.mayBeRepeated = newValue }
  }
}

extension APIError: Equatable {
  /// Whether two errors are of the same kind, whatever their details.
  public static func == (one: APIError, other: APIError) -> Bool {
    one.kind == other.kind
  }

  /// Matches an error of the same kind: `catch APIError.notFound`.
  public static func ~= (pattern: APIError, error: any Error) -> Bool {
    (error as? APIError)?.kind == pattern.kind
  }
}

extension APIError {
  /// Status 401.
  public static let unauthorized = badStatus(401)
  /// Status 403.
  public static let forbidden = badStatus(403)
  /// Status 404.
  public static let notFound = badStatus(404)
  /// Status 429.
  public static let rateLimited = badStatus(429)
  /// A response without content where the type asked for needs some.
  public static let noData = APIError(.noData, reason: "The response has no content.")
  /// A response of more bytes than the limit.
  public static let tooLarge = APIError(.tooLarge, reason: "The response is larger than the limit.")
  /// An answer that is not HTTP.
  public static let notHTTP = APIError(.notHTTP, reason: "What answered does not speak HTTP.")
  /// Content that is not what was asked for.
  public static let decoding = APIError(.decoding, reason: "The response could not be decoded.")
  /// A URL or path that cannot be asked for.
  public static let invalidURL = invalidURL("The URL is not valid.")
  /// A request that cannot be sent as it is.
  public static let invalidRequest = invalidRequest("The request is not valid.")

  /// A status that the validation refused: `APIError.badStatus(500)`.
  public static func badStatus(_ status: HTTPResponse.Status) -> APIError {
    APIError(Kind(status: status), reason: "The server answered \(status).")
  }

  /// No response, or not all of one.
  public static func transport(_ failure: TransportFailure) -> APIError {
    APIError(.transport(failure), reason: failure.description)
  }

  /// A limit of time passed.
  public static func timedOut(_ phase: TransportFailure.Phase) -> APIError {
    transport(.timedOut(phase))
  }

  /// A redirect that was not followed: `APIError.redirect(.loop)`.
  public static func redirect(_ failure: RedirectFailure) -> APIError {
    redirect(failure, "A redirect was not followed (\(failure)).")
  }

  static func redirect(_ failure: RedirectFailure, _ reason: String) -> APIError {
    APIError(.redirect(failure), reason: reason)
  }

  static func badStatus(_ response: CollectedResponse, message: ServerMessage?) -> APIError {
    var error = badStatus(response.status)
    error.response = FailedResponse(response, message: message)
    return error
  }

  static func invalidURL(_ reason: String) -> APIError {
    APIError(.invalidURL, reason: reason)
  }

  static func invalidRequest(_ reason: String, _ underlying: (any Error)? = nil) -> APIError {
    APIError(.invalidRequest, reason: reason, underlying: underlying)
  }

  static func tooLarge(limit: Int) -> APIError {
    APIError(.tooLarge, reason: "The body has more than the \(limit) bytes allowed: raise the limit, or stream it.")
  }

  static func noData(expected type: Any.Type) -> APIError {
    APIError(
      .noData,
      reason:
        "The response has no content, but a \(type) was asked for: ask for Optional, Void or EmptyResponse if that "
        + "is a success.")
  }

  static func decoding(_ failure: DecodingFailure, underlying: any Error) -> APIError {
    var error = APIError(.decoding, reason: "\(failure).", underlying: underlying)
    error.decodingFailure = failure
    return error
  }
}

extension APIError {
  /// The status of the response, when there was one.
  public var status: HTTPResponse.Status? { response?.status }

  /// What the server said about the failure, when it said something this kit or the caller's reader understands.
  public var serverMessage: ServerMessage? { response?.message }

  /// Whether a limit of time passed, in whichever phase.
  public var isTimeout: Bool {
    if case .transport(.timedOut) = kind { true } else { false }
  }

  /// The failed response's body decoded as the server's own error type.
  ///
  /// - Throws: ``APIError`` of kind `noData` without a body, of kind `decoding` for one of another form.
  public func serverError<Value: Decodable>(as type: Value.Type, coders: Coders = .json) throws -> Value {
    guard let response else { throw APIError.noData(expected: type) }
    return try response.collected.value(as: type, coders: coders)
  }
}

extension APIError.Kind {
  fileprivate var mayHaveReachedServer: Bool {
    switch self {
    case .invalidURL, .invalidRequest, .unsupported, .rejected: false
    case .transport(let failure): !failure.provesServerSawNothing
    default: true
    }
  }
}
