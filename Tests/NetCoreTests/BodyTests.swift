import Foundation
import NetCore
import NetTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct ResponseBodyTests {
  @Test func `chunks arrive one by one, then the trailers`() async throws {
    let scripted = ScriptedBody()
    for text in ["a", "b", "c"] { scripted.send(text) }
    scripted.finish(trailers: ["X-Sum": "3"])
    let body = scripted.body
    #expect(body.trailers.isEmpty)
    var chunks: [String] = []
    for try await chunk in body { chunks.append(String(decoding: chunk, as: UTF8.self)) }
    #expect(chunks == ["a", "b", "c"])
    #expect(body.trailers["X-Sum"] == "3")
    #expect(!scripted.isCancelled)
  }

  @Test func `a body on its way is read once`() async throws {
    let scripted = ScriptedBody()
    scripted.send("a")
    scripted.finish()
    let body = scripted.body
    #expect(try await body.collect(upTo: 10) == Data("a".utf8))
    await #expect(throws: APIError.invalidRequest) { try await body.collect(upTo: 10) }
  }

  @Test func `a collected body is read as often as wanted`() async throws {
    let body = HTTPResponse.Body(Data("abc".utf8))
    #expect(try await body.collect(upTo: 3) == Data("abc".utf8))
    #expect(try await body.collect(upTo: 3) == Data("abc".utf8))
    await #expect(throws: APIError.tooLarge) { try await body.collect(upTo: 2) }
  }

  @Test func `a body dropped unread closes its exchange`() async {
    let scripted = ScriptedBody()
    _ = scripted.body
    await scripted.cancelled()
    #expect(scripted.isCancelled)
  }

  @Test func `a body dropped after a part closes its exchange`() async throws {
    let scripted = ScriptedBody()
    scripted.send("a")
    for try await _ in scripted.body { break }
    await scripted.cancelled()
    #expect(scripted.isCancelled)
  }

  @Test func `discarding closes the exchange at once`() {
    let scripted = ScriptedBody()
    let body = scripted.body
    body.discard()
    #expect(scripted.isCancelled)
  }

  @Test func `more than the limit is not held, and an announced length over it not even read`() async {
    let scripted = ScriptedBody()
    scripted.send("12")
    scripted.send("34")
    await #expect(throws: APIError.tooLarge) { try await scripted.body.collect(upTo: 3) }
    #expect(scripted.isCancelled)

    let announced = ScriptedBody()
    let body = HTTPResponse.Body(length: 4, source: announced)
    await #expect(throws: APIError.tooLarge) { try await body.collect(upTo: 3) }
    #expect(announced.isCancelled)
  }

  @Test func `a reader that waits is cancelled at once`() async throws {
    let scripted = ScriptedBody()
    let body = scripted.body
    let reader = Task { try await body.collect(upTo: 10) }
    reader.cancel()
    await #expect(throws: CancellationError.self) { try await reader.value }
    await scripted.cancelled()
  }
}

@Suite struct RequestBodyTests {
  @Test func `bytes and files can be sent again, streams as declared`() async throws {
    let bytes = HTTPBody(Data("abc".utf8))
    #expect(bytes.length == 3)
    #expect(bytes.isReplayable)
    #expect(try await bytes.collect(upTo: 3) == Data("abc".utf8))
    #expect(try await bytes.collect(upTo: 3) == Data("abc".utf8))
    let again = HTTPBody(length: 1, isReplayable: true) { AsyncStream(Data("x".utf8)) }
    #expect(try await again.collect(upTo: 1) == Data("x".utf8))
    #expect(try await again.collect(upTo: 1) == Data("x".utf8))
    #expect(HTTPBody.empty.isEmpty)
  }

  @Test func `a file that grows while it is sent fails the request`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "growing-\(UUID())")
    try Data(repeating: 1, count: 10).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let body = try HTTPBody(file: file)
    try Data(repeating: 1, count: 20).write(to: file)
    await #expect(throws: APIError.invalidRequest) { try await body.collect(upTo: 1000) }
  }

  @Test func `a file that shrinks while it is sent fails the request`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "shrinking-\(UUID())")
    try Data(repeating: 1, count: 1000).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let body = try HTTPBody(file: file)
    #expect(body.length == 1000)
    try Data(repeating: 1, count: 10).write(to: file)
    await #expect(throws: APIError.invalidRequest) { try await body.collect(upTo: 1000) }
  }
}

extension AsyncStream {
  /// A stream of one element.
  fileprivate init(_ element: Element) where Element: Sendable {
    self.init { continuation in
      continuation.yield(element)
      continuation.finish()
    }
  }
}
