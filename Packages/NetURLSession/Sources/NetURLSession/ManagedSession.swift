import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A URLSession with its delegate, and the queue on which tasks are made, started and cancelled.
///
/// On Linux each of these waits for the one queue that all sessions of the process share. So they have a queue of their
/// own: neither a thread of the cooperative pool waits, nor the delegate, which must keep pace with what arrives.
///
/// Transport and exchanges share the ownership. The session is invalidated when the last of them is gone, which is when
/// nobody can make a task on it any more.
final class ManagedSession: Sendable {
  private let session: URLSession
  private let delegate = SessionDelegate()
  private let queue = DispatchQueue(label: "NetURLSession.tasks", target: ManagedSession.processQueue)

  /// One for all sessions. On Linux each start and cancel waits for Foundation's own queue, and as many sessions as Dispatch
  /// has threads would otherwise take them all to wait, with none left to answer.
  private static let processQueue = DispatchQueue(label: "NetURLSession.process")

  /// The origins that have answered, to which a connection may be kept; at most so many are told apart.
  private let answeredOrigins = Mutex<Set<String>>([])
  private static let maximumOrigins = 1_000

  init(configuration: URLSessionConfiguration) {
    let callbacks = CallbackQueue()
    callbacks.maxConcurrentOperationCount = 1
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: callbacks)
  }

  /// Notes that the origin of `url` has answered.
  func noteAnswer(from url: URL?) {
    answeredOrigins.withLock { origins in
      if origins.count < Self.maximumOrigins { origins.insert(Self.origin(of: url)) }
    }
  }

  /// Whether a connection to the origin of `url` may have been kept.
  func mayKeepConnection(to url: URL?) -> Bool {
    answeredOrigins.withLock { $0.count >= Self.maximumOrigins || $0.contains(Self.origin(of: url)) }
  }

  private static func origin(of url: URL?) -> String {
    "\(url?.scheme ?? "")://\(url?.host() ?? ""):\(url?.port ?? 0)".lowercased()
  }

  deinit {
    session.finishTasksAndInvalidate()
  }

  /// Makes and starts the task of `exchange`, unless the exchange has ended before its turn comes.
  func start(_ exchange: Exchange) {
    queue.async { [session, delegate] in
      guard exchange.isOpen else { return }
      let task =
        exchange.bodyFile.map { session.uploadTask(with: exchange.request, fromFile: $0) }
        ?? session.dataTask(with: exchange.request)
      delegate.add(exchange, for: task)
      exchange.gate.begin(task)
    }
  }

  /// Cancels the task of `exchange`, when it has one that has not ended.
  func cancel(_ exchange: Exchange) {
    queue.async { exchange.gate.cancel() }
  }

  #if canImport(Darwin)
  // Not built by this project's CI, which runs on Linux.
  /// Lets the task of `exchange` receive, or not, as the bytes that wait to be read demand.
  func adjustFlow(of exchange: Exchange) {
    queue.async { exchange.adjustFlow() }
  }
  #endif
}
