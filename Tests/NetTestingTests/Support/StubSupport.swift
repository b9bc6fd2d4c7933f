import Foundation
import NetCore
import NetTesting
import NetURLSession
import Synchronization
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let stubbedURL = URL(string: "https://api.example.com/v1")!

/// A client that the current test's stubs answer through a real URLSession.
func sessionClient(_ stubs: Stubs = .current) -> HTTPClient {
  timelessClient(URLSessionTransport(configuration: stubs.configuration))
}

/// A client that the current test's stubs answer without a session.
func closureClient(_ stubs: Stubs = .current) -> HTTPClient {
  timelessClient(stubs.transport)
}

/// A client whose calls have no limit of time but the test's own.
private func timelessClient(_ transport: any HTTPTransport) -> HTTPClient {
  var configuration = HTTPClient.Configuration(baseURL: stubbedURL)
  configuration.timeSource = TestClock().timeSource
  return HTTPClient(configuration, transport: transport)
}

extension URLRequest {
  init(_ path: String, method: String = "GET", body: Data? = nil) {
    self.init(url: URL(string: "https://api.example.com/v1\(path)")!)
    httpMethod = method
    httpBody = body
  }
}

extension URLSession {
  /// What a data task with a completion handler brings.
  func load(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    try await answer { self.dataTask(with: request, completionHandler: $0) }
  }

  /// What the task brings that `make` makes with a completion handler.
  func answer(
    _ make: @escaping @Sendable (@escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask
  ) async throws -> (Data, HTTPURLResponse) {
    try await withCheckedThrowingContinuation { continuation in
      SideThread.shared.run {
        make { data, response, error in
          if let error { return continuation.resume(throwing: error) }
          continuation.resume(returning: (data ?? Data(), response as! HTTPURLResponse))
        }.resume()
      }
    }
  }
}

/// A thread for calls that wait for a queue of Dispatch, as making and starting a `URLSessionTask` do on Linux. Made on the threads of the
/// concurrency pool, which are Dispatch's own, a few of them leave no thread to do what they wait for.
private final class SideThread: Sendable {
  static let shared = SideThread()

  private let calls = Mutex<[@Sendable () -> Void]>([])
  private let count = DispatchSemaphore(value: 0)

  private init() {
    Thread.detachNewThread { [self] in
      while true {
        count.wait()
        calls.withLock { $0.removeFirst() }()
      }
    }
  }

  func run(_ call: @escaping @Sendable () -> Void) {
    calls.withLock { $0.append(call) }
    count.signal()
  }
}

/// Keeps the texts of issues.
final class IssueLog: Sendable {
  private let kept = Mutex<[String]>([])

  var texts: [String] { kept.withLock { $0 } }

  func add(_ text: String) {
    kept.withLock { $0.append(text) }
  }

  /// Always `true`: for `withKnownIssue(matching:)`.
  func add(_ issue: Issue) -> Bool {
    add("\(issue)")
    return true
  }
}
