import Foundation
import NetCore
import NetURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request of a stub session, from `startLoading` until the task has ended or the session stops it.
///
/// It does what a session on Linux survives: everything the session is told is told on its queue, nothing after
/// `stopLoading`, nothing once the task is being cancelled (the session fails such a task itself), and one end.
///
/// `@unchecked Sendable`: its variables are touched on the session's queue only, where `start()`, `stop()` and the
/// closures given to `onQueue` run.
final class StubLoading: @unchecked Sendable {
  private let route: StubRoutes.Route
  /// Whom the session is told through; let go of at the end, since it holds this in turn.
  private var urlProtocol: URLProtocol?
  private var work: StubTasks.Work?

  init(_ urlProtocol: URLProtocol, route: StubRoutes.Route) {
    self.route = route
    self.urlProtocol = urlProtocol
  }

  /// Whether the session was told how the task ended, or wants to hear no more.
  var isOver: Bool { urlProtocol == nil }

  /// Records the request, and starts the task that replies to it. Never blocks: it runs on a queue of all sessions.
  func start() {
    guard let urlProtocol else { return }
    guard let stubs = route.stubs else {
      return fail(URLError(refusing: route.owner.reportLate(urlProtocol.request.summary).reason))
    }
    do {
      let request = try StubbedRequest(of: urlProtocol)
      guard let task = urlProtocol.task, let queue = CallbackQueue(of: task) else {
        throw APIError(
          .unsupported, reason: "its session's work queue was not found, which a new toolchain may have renamed")
      }
      work = reply(to: request, from: stubs, on: queue)
    } catch {
      refuse((error as? APIError)?.reason ?? "\(type(of: error))")
    }
  }

  /// The session wants to hear no more.
  func stop() {
    urlProtocol = nil
    work?.cancel()
  }

  private func reply(to request: StubbedRequest, from stubs: Stubs, on queue: CallbackQueue) -> StubTasks.Work {
    switch request.body {
    case .bytes(let bytes):
      let reply = stubs.match(request.recorded(with: bytes))
      return stubs.tasks.start { await self.deliver(reply, on: queue) }
    case .unread(let body):
      return stubs.tasks.start {
        do {
          let reply = stubs.match(request.recorded(with: try await body.bytes()))
          await self.deliver(reply, on: queue)
        } catch {
          await self.fail(error, on: queue)
        }
      }
    }
  }
}

// MARK: - Telling the session

extension StubLoading {
  private func deliver(_ reply: StubReply, on queue: CallbackQueue) async {
    do {
      let response = try await reply.response()
      if let bytes = response.body.bufferedBytes {
        await onQueue(queue) { loading in
          guard loading.begin(response) else { return }
          loading.receive(bytes)
          loading.finish()
        }
      } else {
        try await stream(response, on: queue)
      }
    } catch {
      await fail(error, on: queue)
    }
  }

  /// Tells a delegate each chunk as it comes, and a completion handler all of them at the end: on Linux it would get the
  /// last one only.
  private func stream(_ response: HTTPResponse, on queue: CallbackQueue) async throws {
    let passesChunks = await onQueue(queue) { loading in
      loading.begin(response) ? loading.usesDelegate : nil
    }
    guard let passesChunks = passesChunks ?? nil else { return response.body.discard() }
    var gathered = Data()
    for try await chunk in response.body {
      if passesChunks {
        await onQueue(queue) { $0.receive(chunk) }
      } else {
        gathered.append(chunk)
      }
    }
    await onQueue(queue) { [gathered] loading in
      loading.receive(gathered)
      loading.finish()
    }
  }

  private func fail(_ error: any Error, on queue: CallbackQueue) async {
    let error = URLError(sessionErrorFor: error) ?? error
    await onQueue(queue) { $0.fail(error) }
  }

  /// Runs `body` on the session's queue; `nil` when the session wants to hear no more.
  @discardableResult
  private func onQueue<Result: Sendable>(
    _ queue: CallbackQueue, _ body: @escaping @Sendable (StubLoading) -> Result
  ) async -> Result? {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.isLive ? body(self) : nil) }
    }
  }
}

// MARK: - On the queue

extension StubLoading {
  /// Tells the session the head of the response, unless the session could not bear it.
  private func begin(_ response: HTTPResponse) -> Bool {
    guard !wouldHang(response) else {
      refuse(
        "on Linux a 401 with a Basic challenge never ends for a task without a delegate that answers challenges; leave "
          + "WWW-Authenticate out, or use Bearer")
      return false
    }
    guard let urlProtocol, let url = response.url ?? urlProtocol.request.url,
      let head = HTTPURLResponse(
        url: url, statusCode: response.status.code, httpVersion: "HTTP/1.1", headerFields: response.fields.joined)
    else {
      refuse("its reply makes no HTTPURLResponse")
      return false
    }
    urlProtocol.client?.urlProtocol(urlProtocol, didReceive: head, cacheStoragePolicy: .notAllowed)
    return true
  }

  private func receive(_ bytes: Data) {
    guard let urlProtocol, !bytes.isEmpty, urlProtocol.request.httpMethod != "HEAD" else { return }
    urlProtocol.client?.urlProtocol(urlProtocol, didLoad: bytes)
  }

  private func finish() {
    guard let urlProtocol else { return }
    self.urlProtocol = nil
    urlProtocol.client?.urlProtocolDidFinishLoading(urlProtocol)
  }

  private func fail(_ error: any Error) {
    guard let urlProtocol else { return }
    self.urlProtocol = nil
    urlProtocol.client?.urlProtocol(urlProtocol, didFailWithError: error)
  }

  /// Fails a request that no stub session can answer, and the test.
  private func refuse(_ reason: String) {
    let request = urlProtocol?.request.summary ?? "a request"
    let problem = "A stub session cannot answer \(request): \(reason)."
    route.stubs?.note(problem)
    fail(URLError(refusing: problem))
  }

  #if canImport(Darwin)
  // Not built by this project's CI, which runs on Linux.
  private var isLive: Bool { !isOver }
  private var usesDelegate: Bool { true }
  private func wouldHang(_ response: HTTPResponse) -> Bool { false }
  #else
  /// Whether the session may be called. A task that is being cancelled is about to be failed by the session itself, and
  /// one that is being suspended about to be stopped.
  private var isLive: Bool { urlProtocol?.task?.state == .running }

  /// Whether the task reports to a delegate. Only such a task gets more than the last chunk of a body, and can answer a
  /// challenge.
  private var usesDelegate: Bool { urlProtocol?.task.flatMap(CorelibsReflection.usesDelegate) ?? false }

  private func wouldHang(_ response: HTTPResponse) -> Bool {
    guard response.status == .unauthorized, let challenge = response.fields[.wwwAuthenticate]?.lowercased() else {
      return false
    }
    return challenge.contains("basic") && challenge.contains("realm=") && !usesDelegate
  }
  #endif
}

extension HTTPFields {
  /// The fields as a `HTTPURLResponse` takes them: one value a name, several joined by `", "`.
  fileprivate var joined: [String: String] {
    let names = Set(map(\.name))
    return Dictionary(uniqueKeysWithValues: names.map { ($0.rawName, self[$0] ?? "") })
  }
}

extension URLRequest {
  /// Method and URL, with no more than may be shown.
  fileprivate var summary: String {
    guard let url else { return "a request without a URL" }
    return "\(httpMethod ?? "GET") \(Redactor.standard.redact(url))"
  }
}
