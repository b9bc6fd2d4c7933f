import BrewTips
import BrewTipsBackend
import NetCache
import NetCacheSQLite
import NetCore

#if os(Linux)
import NetCurl
#else
import NetURLSession
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The composition root: the one file that names a transport, and wires the features to it.

/// The version of the app, which is that of the kits.
let version = "0.1.0"

/// What the commands work with.
struct Services: Sendable {
  let tips: any BrewTipsService
  let users: any UserService
}

/// Runs `body` with services that talk to the configured server, or to the embedded one.
///
/// - Parameter recorder: Is told of all calls.
func withServices<Result>(
  _ settings: Settings, recorder: CallRecorder? = nil, _ body: (Services) async throws -> Result
) async throws -> Result {
  let transport = try settings.isOffline ? NoNetwork() : transport(settings.connection)
  do {
    return try await withServer(settings) { baseURL in
      var configuration = configuration(settings, baseURL: baseURL)
      configuration.authenticator = settings.credentials.map { authenticator($0, for: baseURL, over: transport) }
      if let recorder { configuration.observers.append(recorder) }
      let client = HTTPClient(configuration, transport: transport)
      return try await body(
        Services(tips: RemoteBrewTipsService(client: client), users: RemoteUserService(client: client)))
    }
  } catch APIError.badStatus(.gatewayTimeout) where settings.isOffline {
    throw Failure.notStored
  }
}

/// What a command that is offline has for a network.
private struct NoNetwork: HTTPTransport {
  func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
    throw APIError(.invalidRequest, reason: "--offline asks no server.", mayHaveReachedServer: false)
  }
}

/// A client for what has a URL of its own, which gets no token.
///
/// - Parameter recorder: Is told of all calls.
func transferClient(_ settings: Settings, url: URL, recorder: CallRecorder?) throws -> HTTPClient {
  var configuration = configuration(settings, baseURL: url)
  if let recorder { configuration.observers.append(recorder) }
  return HTTPClient(configuration, transport: try transport(settings.connection))
}

#if os(Linux)
private func transport(_ connection: ConnectionSettings) throws -> any HTTPTransport {
  var configuration = CurlTransport.Configuration()
  if let path = connection.caFile { configuration.tls.trustRoots = .file(path: path) }
  configuration.tls.identity = connection.identity.map { .init(certificate: $0.certificate, key: $0.key) }
  configuration.tls.pins = connection.pins
  if let proxy = connection.proxy { configuration.proxy = .server(.init(proxy)) }
  do {
    return try CurlTransport(configuration)
  } catch let error as APIError {
    throw Failure.usage(error.reason)
  }
}
#else
// Not built by this project's CI, which runs on Linux.
private func transport(_ connection: ConnectionSettings) throws -> any HTTPTransport {
  guard connection == ConnectionSettings() else {
    throw Failure.usage("on this system certificates, pins and proxies are the system's: set them there")
  }
  return URLSessionTransport()
}
#endif

/// Runs `body` with the URL of the server: the one that was configured, else one that runs inside this process meanwhile.
private func withServer<Result>(_ settings: Settings, _ body: (URL) async throws -> Result) async throws -> Result {
  if let baseURL = settings.baseURL { return try await body(baseURL) }
  let configuration = backendConfiguration(log: ConsoleLog())
  // Its answers are stored under the URL that it has from run to run.
  if settings.isOffline { return try await body(Backend.lastingURL(configuration)) }
  return try await Backend.with(configuration, run: body)
}

/// The folder of the cache.
var cacheFolder: String {
  Backend.cacheFolder(environment: ProcessInfo.processInfo.environment)
}

/// The cache of all runs. It is opened when it is needed first.
func diskCache() -> HTTPCache {
  HTTPCache(store: SQLiteCacheStore(folder: cacheFolder, log: ConsoleLog()), log: ConsoleLog())
}

/// What the server works with, be it embedded or served.
func backendConfiguration(log: ConsoleLog) -> Backend.Configuration {
  let environment = ProcessInfo.processInfo.environment
  return Backend.Configuration(stateFolder: Backend.stateFolder(environment: environment), log: log)
}

private func configuration(_ settings: Settings, baseURL: URL) -> HTTPClient.Configuration {
  var configuration = HTTPClient.Configuration(name: "brewtips", baseURL: baseURL)
  configuration.userAgent = "brewtips/\(version)"
  // What cannot act twice is tried again, within the same time.
  configuration.retry = .standard
  if settings.usesCache { configuration.cache = diskCache() }
  if settings.isOffline {
    configuration.callMiddlewares = [
      .intercepting { request, context, next in
        var context = context
        context.cacheMode = .onlyIfCached
        return try await next.send(request, context: context)
      }
    ]
  }
  if let timeout = settings.timeout { configuration.timeout = timeout }
  if settings.isVerbose {
    let redactor = Redactor.standard.allowing(jsonKeys: ["tip", "id", "category"])
    configuration.observers = [HTTPLog(level: .debug, sink: StandardErrorSink(), redactor: redactor)]
  }
  return configuration
}

/// Gets the app's token when the first request needs it, and another when the server refuses it.
private func authenticator(
  _ credentials: ClientCredentials, for baseURL: URL, over transport: any HTTPTransport
) -> BearerAuthenticator {
  // A client of its own, which needs no token: the token is asked for at its base URL.
  var configuration = HTTPClient.Configuration(name: "token endpoint", baseURL: credentials.tokenURL)
  configuration.userAgent = "brewtips/\(version)"
  configuration.retry = .standard
  let grant = ClientCredentialsGrant(
    tokenURL: credentials.tokenURL, client: OAuthClient(id: credentials.id, secret: credentials.secret),
    network: HTTPClient(configuration, transport: transport))
  return BearerAuthenticator(store: MemoryCredentialStore(), origins: [baseURL], grant: grant)
}
