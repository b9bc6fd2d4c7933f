import NetCore
import NetLoopback

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The app's own server on this machine's loopback address, so that the app works without any other.
///
///     GET  /tips/today   {"category": "milk", "id": 37, "tip": "Stop steaming at 60 to 65 °C: …"}
///     GET  /users        [{"email": "ada@example.com", "id": 1, "name": "Ada"}]
///     POST /users        {"email": "ada@example.com", "name": "Ada"}
///     GET  /users/1
///
/// Errors are problem details (RFC 9457). The port and the users are kept in a database that several processes may
/// share; when it cannot be used, a line of the log says so, and they are kept in memory.
public struct Backend: Sendable {
  private let server: LoopbackServer

  /// Starts a server. It stops when its last copy goes, at the latest.
  ///
  /// - Throws: ``BackendStartError``; `CancellationError`.
  public static func start(_ configuration: Configuration) async throws -> Backend {
    let log = configuration.log
    let store = StateStore(folder: configuration.stateFolder, log: log)
    let api = BackendAPI(store: store, log: log, timeSource: configuration.timeSource)
    let settings = LoopbackServer.Configuration.reportingBugs(to: log)
    do {
      let server = try await listen(configuration.port, store: store, log: log) { port in
        try await LoopbackServer.start(port: port, configuration: settings) { try await api.respond(to: $0) }
      }
      return Backend(server: server)
    } catch let error as LoopbackStartError {
      throw BackendStartError(description: error.description)
    }
  }

  /// Runs `body` with the URL of a server that is stopped when `body` is left.
  ///
  /// - Throws: ``BackendStartError``, `CancellationError`, and what `body` throws.
  public static func with<Result>(
    _ configuration: Configuration, run body: (URL) async throws -> Result
  ) async throws -> Result {
    let backend = try await start(configuration)
    do {
      let result = try await body(backend.baseURL)
      await backend.server.stop()
      return result
    } catch {
      await backend.server.stop()
      throw error
    }
  }

  /// The URL that a server with this configuration has from run to run, unless another program takes its port. One that
  /// nobody listens on before there was a run.
  ///
  /// - Throws: `CancellationError`.
  public static func lastingURL(_ configuration: Configuration) async throws -> URL {
    let port = try await StateStore(folder: configuration.stateFolder, log: configuration.log).port()
    return URL(string: "http://127.0.0.1:\(configuration.port ?? port ?? 1)")!
  }

  /// The server's URL without a path: `http://127.0.0.1:49152`.
  public var baseURL: URL { server.baseURL }

  /// Answers the requests under way, within five seconds, and stops.
  public func stop() async {
    await server.stop(.graceful(within: .seconds(5)))
  }

  /// A server on the port that is asked for; else on the stored one, or any other while that is taken; else on one that is
  /// stored from then on.
  private static func listen(
    _ port: Int?, store: StateStore, log: any LogSink, start: (Int) async throws -> LoopbackServer
  ) async throws -> LoopbackServer {
    if let port { return try await start(port) }
    guard let stored = try await store.port() else {
      let server = try await listenOnLastingPort(start)
      try await store.keepPort(server.port)
      return server
    }
    do {
      return try await start(stored)
    } catch is LoopbackStartError {
      let server = try await start(0)
      log.write(
        "port \(stored) is taken: this run listens on \(server.port) instead; "
          + "if brewtips serve has it, --base-url http://127.0.0.1:\(stored) asks that", level: .warning)
      return server
    }
  }

  /// A server on a port that is likely to be free at the next run too: below those that Linux and Darwin lend to outgoing
  /// connections. On any other when it finds none.
  private static func listenOnLastingPort(
    _ start: (Int) async throws -> LoopbackServer
  ) async throws -> LoopbackServer {
    for _ in 1...10 {
      if let server = try? await start(.random(in: 20_000..<30_000)) { return server }
    }
    return try await start(0)
  }
}

extension LoopbackServer.Configuration {
  /// The defaults, with a line of the log for each error that nobody has foreseen.
  fileprivate static func reportingBugs(to log: any LogSink) -> Self {
    var configuration = Self()
    configuration.onHandlerFailure = { error, request in
      log.write("\(request.summary) failed: \(type(of: error))", level: .error)
    }
    return configuration
  }
}
