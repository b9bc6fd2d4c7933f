import Synchronization

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension Stubs {
  /// A configuration whose sessions these stubs answer, for code that makes its own session; each access is a new copy.
  ///
  ///     let client = HTTPClient(baseURL: url, transport: URLSessionTransport(configuration: Stubs.current.configuration))
  ///
  /// Nothing such a session sends reaches a network. What differs from a session without stubs:
  /// - A redirect is not followed: its response is the response.
  /// - The session's own limits of time do not apply. Use ``Stub/fail(_:after:)`` with `URLError(.timedOut)`.
  /// - On Linux, download tasks, upload tasks with a streamed request, and a 401 with a Basic challenge to a task without
  ///   a delegate would end the process or hang: the request fails instead, and the test too.
  /// - On Linux a task with a completion handler gets a body as a whole, whatever its chunks; one with a delegate gets
  ///   them as they come. `httpAdditionalHeaders` are not seen by stubs.
  public var configuration: URLSessionConfiguration {
    sessions.configuration(for: self)
  }

  /// A session without a delegate that these stubs answer, the same one each time.
  ///
  /// On Linux use tasks with completion handlers or a client over ``configuration`` where a task may be cancelled: there
  /// `data(for:)` can deadlock then, with or without stubs (swift-corelibs-foundation 5412).
  public var session: URLSession {
    sessions.session(for: self)
  }
}

/// The protocol class and session of one set of stubs, made when they are first asked for.
final class StubSessions: Sendable {
  private let protocolClass = Mutex<URLProtocol.Type?>(nil)
  private let session = Mutex<URLSession?>(nil)

  func configuration(for stubs: Stubs) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [protocolClass(for: stubs)]
    // With a cache, a cancelled task on Linux can end the process; stored credentials would answer a stub's 401.
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    return configuration
  }

  func session(for stubs: Stubs) -> URLSession {
    session.withLock { session in
      if let session { return session }
      let made = URLSession(configuration: configuration(for: stubs))
      session = made
      return made
    }
  }

  private func protocolClass(for stubs: Stubs) -> URLProtocol.Type {
    protocolClass.withLock { protocolClass in
      if let protocolClass { return protocolClass }
      let minted = StubRoutes.mint(for: stubs)
      protocolClass = minted
      return minted
    }
  }
}
