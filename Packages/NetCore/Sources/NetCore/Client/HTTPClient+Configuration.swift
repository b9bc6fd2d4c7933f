#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension HTTPClient {
  /// A client's settings: a value, so that an app's environments are a few of them side by side.
  ///
  ///     extension HTTPClient.Configuration {
  ///       static let production = Self(name: "production", baseURL: URL(string: "https://api.example.com/v1")!)
  ///       static let staging = Self(name: "staging", baseURL: URL(string: "https://staging.example.com/v1")!)
  ///     }
  public struct Configuration: Sendable {
    /// What the environment is called, for people. Default: `default`.
    public var name: String
    /// Where paths are appended. Its own path and query are kept.
    public var baseURL: URL
    /// Fields of every request to the base URL's origin that does not set them itself. Default: none.
    public var defaultFields: HTTPFields
    /// The `User-Agent` of requests that do not set it themselves; `nil` sends none.
    public var userAgent: String?
    /// Encodes and decodes. Default: JSON with dates in ISO 8601.
    public var coders: Coders
    /// The time for a whole call, above zero. Default: 30 seconds.
    public var timeout: Duration
    /// The time for each attempt, above zero; of a response that is read as it arrives, until its head. Default: `nil`, no
    /// limit but the call's.
    public var attemptTimeout: Duration?
    /// When a failed attempt is repeated, such as ``RetryPolicy/standard``. Default: never.
    public var retry: RetryPolicy
    /// How redirects are followed. Default: ``RedirectPolicy/standard``, up to 20, and no credentials to another origin.
    public var redirects: RedirectPolicy
    /// Whether equal calls of `GET` or `HEAD` at the same time share one exchange. Default: `false`.
    ///
    /// Calls are equal when method, URL, size limit, cache mode, credential scope and all fields are but those that only
    /// name the sender or the call (`User-Agent`, `traceparent`, `tracestate`, `X-Request-ID`). A call with a policy of
    /// its own for retries or redirects shares nothing, and neither does one whose body is read as it arrives.
    public var coalescesCalls: Bool
    /// Keeps the cookies of responses and gives them to requests that have no Cookie field of their own. Default: nobody.
    public var cookies: CookieJar?
    /// Keeps responses and answers with them, such as NetCache's `HTTPCache`. Default: none.
    public var cache: (any HTTPCaching)?
    /// Gives requests their credentials, such as a ``BearerAuthenticator``. Default: nobody.
    public var authenticator: (any Authenticator)?
    /// How many exchanges run at a time, such as `ConcurrencyLimit(perHost: 8)`. Default: as many as are asked for.
    public var concurrencyLimit: ConcurrencyLimit?
    /// How many requests are sent to a host in a time, such as `RateLimit(100, per: .seconds(60))`. Default: as many as are
    /// asked for.
    public var rateLimit: RateLimit?
    /// When a host that fails is left alone, such as `CircuitBreaker()`. Default: never.
    public var circuitBreaker: CircuitBreaker?
    /// The most bytes of a response that are collected. Default: 10 MB (10,000,000 bytes).
    public var maximumBodySize: Int
    /// Which responses are successes. Default: 2xx.
    public var validation: ResponseValidation
    /// Finds the server's message in a failed response. Default: ``ServerMessageReader/standard``.
    public var serverMessage: ServerMessageReader
    /// Stages that see a call once, the first outermost. The call's time limit does not cover them. Default: none.
    public var callMiddlewares: [any HTTPMiddleware]
    /// Stages that see every attempt, the first outermost, such as one that signs. Default: none.
    public var attemptMiddlewares: [any HTTPMiddleware]
    /// Who watches the calls, such as an ``HTTPLog`` or an ``HTTPMetrics``. Default: nobody.
    public var observers: [any CallObserver]
    /// Makes calls a part of distributed traces. Default: `nil`, not at all.
    public var tracing: Tracing?
    /// Where time comes from. Default: the machine's clocks.
    public var timeSource: TimeSource

    /// Settings for a base URL, with everything else at its default.
    public init(name: String = "default", baseURL: URL) {
      self.name = name
      self.baseURL = baseURL
      defaultFields = [:]
      userAgent = "NetCore/\(netCoreVersion)"
      coders = .json
      timeout = .seconds(30)
      attemptTimeout = nil
      retry = .never
      redirects = .standard
      coalescesCalls = false
      cookies = nil
      cache = nil
      authenticator = nil
      concurrencyLimit = nil
      rateLimit = nil
      circuitBreaker = nil
      maximumBodySize = 10_000_000
      validation = .successful
      serverMessage = .standard
      callMiddlewares = []
      attemptMiddlewares = []
      observers = []
      tracing = nil
      timeSource = .system
    }
  }
}

extension HTTPClient.Configuration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name and the base URL, with what ``Redactor/standard`` does not allow hidden.
  public var description: String {
    "\(name.replacing("\n", with: " ").displayable(upTo: 100)): \(Redactor.standard.redact(baseURL))"
  }

  /// The same as ``description``: printing settings leaks no secret.
  public var debugDescription: String { description }

  /// Nothing: a dump shows the ``description``.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The version of the kits, as in the changelog.
let netCoreVersion = "0.1.0"
