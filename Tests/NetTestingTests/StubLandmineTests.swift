import Foundation
import NetCore
import NetTesting
import NetURLSession
import Synchronization
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What ends the process, hangs or lies in a URLProtocol on Linux, one test each: a new toolchain that changes something
/// is announced here.
@Suite(.stubs, .timeLimit(.minutes(1))) struct StubLandmineTests {
  private let stubs = Stubs.current
  private let session = Stubs.current.session

  /// Runs `body` with stubs of its own, and gives the problems they noted.
  private func problems(_ body: (Stubs) async throws -> Void) async throws -> [String] {
    let stubs = Stubs()
    try await body(stubs)
    return stubs.problems
  }

  @Test func `a completion handler gets all chunks of a body`() async throws {
    let body = ScriptedBody()
    for chunk in ["a", "b", "c"] { body.send(chunk) }
    body.finish()
    stub(.get, "/v1/a").reply(HTTPResponse(body: body.body))
    #expect(try await session.load(URLRequest("/a")).0 == Data("abc".utf8))
  }

  @Test func `a delegate gets each chunk, and a completion handler of the same session all of them`() async throws {
    let delegate = ChunkDelegate()
    let session = URLSession(configuration: stubs.configuration, delegate: delegate, delegateQueue: nil)
    stub(.get, "/v1/a").reply { _ in
      let body = ScriptedBody()
      for chunk in ["a", "b", "c"] { body.send(chunk) }
      body.finish()
      return HTTPResponse(body: body.body)
    }
    session.dataTask(with: URLRequest("/a")).resume()
    var chunks: [Data] = []
    for await chunk in delegate.chunks { chunks.append(chunk) }
    #expect(chunks == ["a", "b", "c"].map { Data($0.utf8) })
    #expect(try await session.load(URLRequest("/a")).0 == Data("abc".utf8))
  }

  @Test(arguments: [
    "Bearer", #"Bearer realm="x""#, #"Basic realm="x""#, #"Bearer realm="a", basic realm="b""#,
    #"Digest realm="x", nonce="1""#,
  ])
  func `a client gets a 401, whatever its challenge`(challenge: String) async throws {
    stub(.get, "/v1/me").reply(.text("who?", status: 401, fields: [.wwwAuthenticate: challenge]))
    let response = try await sessionClient().open(Endpoint<Void>(path: "me"))
    #expect(response.status == 401)
    #expect(response.fields[.wwwAuthenticate] == challenge)
    #expect(try await response.body.collect(upTo: 10) == Data("who?".utf8))
  }

  @Test(arguments: ["Bearer", #"Bearer realm="x""#, #"Digest realm="x", nonce="1""#, "Basic"])
  func `a completion handler gets a 401 whose challenge the session leaves alone`(challenge: String) async throws {
    stub(.get, "/v1/me").reply(.text("who?", status: 401, fields: [.wwwAuthenticate: challenge]))
    let (data, response) = try await session.load(URLRequest("/me"))
    #expect(response.statusCode == 401)
    #expect(data == Data("who?".utf8))
  }

  @Test func `many tasks are cancelled while their replies come`() async throws {
    stub(.get, "/v1/a").reply { _ in
      await Task.yield()
      return .text("ok")
    }
    let endings = try await withThrowingTaskGroup { group in
      for _ in 0..<500 { group.addTask { await session.raceWithCancellation(URLRequest("/a")) } }
      return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
    #expect(endings.values.reduce(0, +) == 500)
    #expect(endings.keys.allSatisfy { ["answered", "cancelled"].contains($0) }, "\(endings)")
  }

  @Test func `a suspended task starts again`() async throws {
    let held = stub(.get, "/v1/a").hang().reply(.text("second"))
    let answer = AsyncStream.makeStream(of: String.self)
    let task = session.dataTask(with: URLRequest("/a")) { data, _, error in
      answer.continuation.yield(data.map { String(decoding: $0, as: UTF8.self) } ?? "\(error as Any)")
      answer.continuation.finish()
    }
    task.resume()
    while held.count < 1, !Task.isCancelled { await Task.yield() }
    task.suspend()
    task.resume()
    var answers: [String] = []
    for await text in answer.stream { answers.append(text) }
    #expect(answers == ["second"])
  }

  @Test func `a slow reply holds up no other session`() async throws {
    stub(.get, "/v1/slow").hang()
    let other = Stubs()
    other.stub(.get, "/v1/a").reply(.text("quick"))
    let slow = session.dataTask(with: URLRequest("/slow")) { _, _, _ in }
    slow.resume()
    while stubs.requests.isEmpty, !Task.isCancelled { await Task.yield() }
    #expect(try await other.session.load(URLRequest("/a")).0 == Data("quick".utf8))
    slow.cancel()
  }

  @Test func `an upload's bytes and file are seen`() async throws {
    stub(.post, "/v1/a").reply { .text($0.text) }
    let post = URLRequest("/a", method: "POST")
    let (bytes, _) = try await session.answer {
      session.uploadTask(with: post, from: Data("bytes".utf8), completionHandler: $0)
    }
    #expect(bytes == Data("bytes".utf8))
    let file = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID()).txt")
    try Data("file".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let (content, _) = try await session.answer {
      session.uploadTask(with: post, fromFile: file, completionHandler: $0)
    }
    #expect(content == Data("file".utf8))
  }

  @Test func `a body that is a stream is seen`() async throws {
    stub(.post, "/v1/a").reply { .text($0.text) }
    var request = URLRequest("/a", method: "POST")
    request.httpBodyStream = InputStream(data: Data("streamed".utf8))
    #expect(try await session.load(request).0 == Data("streamed".utf8))
  }

  @Test func `a session made from the configuration later is answered too`() async throws {
    stub(.get, "/v1/a").reply(.text("ok"))
    let configuration = stubs.configuration
    configuration.timeoutIntervalForRequest = 5
    let copy = URLSession(configuration: configuration.copy() as! URLSessionConfiguration)
    #expect(try await copy.load(URLRequest("/a")).0 == Data("ok".utf8))
  }

  @Test func `nothing stays behind when a task has ended`() async throws {
    weak var session: URLSession?
    let task = Mutex(WeakTask())
    do {
      let stubs = Stubs()
      stubs.stub(.get, "/v1/a").reply(.text("ok"))
      session = stubs.session
      _ = try await stubs.session.answer { handler in
        let made = stubs.session.dataTask(with: URLRequest("/a"), completionHandler: handler)
        task.withLock { $0.task = made }
        return made
      }
    }
    while session != nil || task.withLock({ $0.task != nil }), !Task.isCancelled { await Task.yield() }
  }

  #if !canImport(Darwin)
  @Test func `a 401 that would never end is refused`() async throws {
    let problems = try await problems { stubs in
      stubs.stub(.get, "/v1/me").reply(.status(401, fields: [.wwwAuthenticate: #"Basic realm="x""#]))
      let error = await #expect(throws: URLError.self) { try await stubs.session.load(URLRequest("/me")) }
      #expect(error?.localizedDescription.contains("Basic challenge never ends") == true)
    }
    #expect(problems.count == 1)
  }

  @Test func `a download is refused`() async throws {
    let problems = try await problems { stubs in
      stubs.stub(.get, "/v1/a").reply(.text("ok"))
      let error: (any Error)? = await withCheckedContinuation { continuation in
        stubs.session.downloadTask(with: URLRequest("/a")) { _, _, error in continuation.resume(returning: error) }
          .resume()
      }
      #expect(error is URLError)
    }
    #expect(problems.first?.contains("on Linux a download task ends the process") == true)
  }

  @Test func `an upload of a streamed request is refused`() async throws {
    let problems = try await problems { stubs in
      let delegate = ChunkDelegate()
      let session = URLSession(configuration: stubs.configuration, delegate: delegate, delegateQueue: nil)
      session.uploadTask(withStreamedRequest: URLRequest("/a", method: "POST")).resume()
      for await _ in delegate.chunks {}
    }
    #expect(problems.first?.contains("the body of an upload task with a streamed request cannot be seen") == true)
  }
  #endif

  @Test func `a URL that is not http reaches no network either`() async throws {
    let problems = try await problems { stubs in
      let request = URLRequest(url: URL(string: "ftp://example.com/a")!)
      await #expect(throws: URLError.self) { try await stubs.session.load(request) }
    }
    #expect(problems == ["No stub matches GET ftp://example.com/a (stubs: there are none)."])
  }
}

/// Passes on the chunks of one task.
private final class ChunkDelegate: NSObject, URLSessionDataDelegate, Sendable {
  let chunks: AsyncStream<Data>
  private let continuation: AsyncStream<Data>.Continuation

  override init() {
    (chunks, continuation) = AsyncStream.makeStream()
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    continuation.yield(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    continuation.finish()
  }
}

extension URLSession {
  /// Starts a task, cancels it at once from another thread, and says how it ended.
  fileprivate func raceWithCancellation(_ request: URLRequest) async -> String {
    await withCheckedContinuation { continuation in
      let task = dataTask(with: request) { _, _, error in
        let isCancelled = (error as? URLError)?.code == .cancelled
        continuation.resume(returning: error == nil ? "answered" : isCancelled ? "cancelled" : "\(error!)")
      }
      task.resume()
      DispatchQueue.global().async { task.cancel() }
    }
  }
}

/// Tells whether a task is still there.
private struct WeakTask {
  weak var task: URLSessionTask?
}
