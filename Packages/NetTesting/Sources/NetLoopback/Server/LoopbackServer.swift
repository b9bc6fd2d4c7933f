#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An HTTP/1.1 server on this machine's loopback address, for tests and for an app's own demo backend.
///
///     let server = try await LoopbackServer.start { request in
///       switch (request.method, request.path) {
///       case (.get, "/tips/today"): .text("Bloom for 30 seconds.")
///       case (.post, "/echo"): .bytes(try await request.body.collect())
///       default: .problem(.notFound)
///       }
///     }
///     … server.baseURL …
///     await server.stop()
///
/// It speaks HTTP/1.1 and 1.0 (RFC 9112) with keep-alive, pipelining, chunked content and trailers both ways, `HEAD` and
/// `Expect: 100-continue`. Malformed requests get a 4xx and a closed connection.
///
/// Each connection has a task, which takes its requests in order; connections run side by side. The tasks inherit the
/// task-local values of the one that starts the server, so that an expectation in a handler belongs to its test. All
/// servers of a process share one thread that watches their sockets: hundreds of servers are cheap.
public final class LoopbackServer: Sendable {
  /// Answers a request. It may run on several connections at the same time. An error that it throws is answered with
  /// problem details: a ``LoopbackError`` with its status and detail, a `MultipartError` with 400 or 413, any other with 500
  /// and no detail. A handler that holds its server keeps it from stopping by itself.
  public typealias Handler = @Sendable (LoopbackRequest) async throws -> LoopbackResponse

  /// The port the server listens on.
  public let port: Int
  /// The server's URL without a path: `http://127.0.0.1:49152`.
  public let baseURL: URL
  private let core: ServerCore
  private let task: Task<Void, Never>

  /// Starts a server. It stops when its last reference goes, at the latest.
  ///
  /// - Parameters:
  ///   - host: The address. Default: `127.0.0.1`.
  ///   - port: The port. Default: 0, which takes a free one.
  ///   - configuration: The limits.
  ///   - handler: Answers the requests.
  /// - Throws: ``LoopbackStartError``.
  public static func start(
    host: Host = .ipv4, port: Int = 0, configuration: Configuration = Configuration(),
    handler: @escaping Handler
  ) async throws(LoopbackStartError) -> LoopbackServer {
    try LoopbackServer(host: host, port: port, configuration: configuration, handler: handler)
  }

  /// Runs `body` with a server that is stopped, at once, when `body` is left.
  ///
  ///     try await LoopbackServer.with { _ in .text("hello") } run: { server in … server.baseURL … }
  ///
  /// - Throws: ``LoopbackStartError``, and what `body` throws.
  @discardableResult
  public static func with<Result>(
    host: Host = .ipv4, port: Int = 0, configuration: Configuration = Configuration(),
    handler: @escaping Handler, run body: (LoopbackServer) async throws -> Result
  ) async throws -> Result {
    let server = try await start(host: host, port: port, configuration: configuration, handler: handler)
    do {
      let result = try await body(server)
      await server.stop()
      return result
    } catch {
      await server.stop()
      throw error
    }
  }

  private init(
    host: Host, port: Int, configuration: Configuration, handler: @escaping Handler
  ) throws(LoopbackStartError) {
    core = try ServerCore.listening(on: host, port: port, configuration: configuration)
    self.port = core.port
    let name = host == .ipv6 ? "[\(host.rawValue)]" : host.rawValue
    baseURL = URL(string: "http://\(name):\(core.port)")!
    task = Task { [core] in await core.serve(handler) }
  }

  deinit {
    core.stop()
    task.cancel()
  }

  /// What the server has counted so far.
  public var counts: Counts { core.counts }

  /// Waits until the counts satisfy `condition`: that a request has come, say, or that every connection is closed.
  ///
  /// - Throws: `CancellationError` when the task is cancelled. It waits without a limit of its own.
  public func wait(until condition: (Counts) -> Bool) async throws {
    try await core.wait(until: condition)
  }

  /// Stops the server: afterwards its port is free and its connections are closed. Stopping again does nothing more.
  ///
  /// A handler's task is cancelled, and waited for as long as a second: one that does not heed it ends by itself.
  public func stop(_ mode: StopMode = .immediate) async {
    if case .graceful(let limit) = mode {
      core.drain()
      await waiting(atMost: limit) { [core, task] in
        await task.value
        await core.waitUntilClosed()
      }
    }
    core.stop()
    task.cancel()
    await core.waitUntilClosed()
    await waiting(atMost: .seconds(1)) { [task] in await task.value }
  }
}
