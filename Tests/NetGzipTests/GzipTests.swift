import Foundation
import NetCore
import NetCurl
import NetGzip
import NetLoopback
import NetTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct GzipTests {
  /// Content that does not get smaller, the same each time.
  private static let noise: Data = {
    var state: UInt64 = 1
    return (0..<50_000).reduce(into: Data()) { bytes, _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      withUnsafeBytes(of: (state ^ state >> 29)) { bytes.append(contentsOf: $0) }
    }
  }()

  private static let bodies: [(name: String, bytes: Data)] = [
    ("nothing", Data()), ("one byte", Data([0])), ("text", Data("Ferns & ☕️".utf8)), ("zeros", Data(count: 5_000_000)),
    ("noise", noise), ("a piece", noise.prefix(64 << 10)), ("a step", noise.prefix(256 << 10)),
  ]

  @Test(arguments: bodies.map(\.name), [1, 9])
  func `Python reads what is written`(_ name: String, level: Int) async throws {
    let bytes = try #require(Self.bodies.first { $0.name == name }?.bytes)
    let encoded = try await HTTPBody(bytes).gzipped(level: level).collect(upTo: 30_000_000)
    #expect(try await decode(encoded) == bytes)
  }

  @Test func `how the content is divided does not matter to who reads it`() async throws {
    let pieces =
      stride(from: 0, to: Self.noise.count, by: 7777).map { Self.noise.dropFirst($0).prefix(7777) } + [Data(), Data()]
    let body = HTTPBody(length: Int64(Self.noise.count), isReplayable: true) { Pieces(pieces) }
    #expect(try await decode(try await body.gzipped().collect(upTo: 2_000_000)) == Self.noise)
  }

  @Test func `it can be sent again when the original can, and is then the same`() async throws {
    let body = HTTPBody(Self.noise).gzipped()
    #expect(body.isReplayable)
    #expect(body.length == nil)
    #expect(try await body.collect(upTo: 2_000_000) == (try await body.collect(upTo: 2_000_000)))

    let once = HTTPBody(isReplayable: false) { Pieces([Data("a".utf8)]) }.gzipped()
    #expect(!once.isReplayable)
    _ = try await once.collect(upTo: 100)
    await #expect(throws: APIError.invalidRequest) { try await once.collect(upTo: 100) }
  }

  @Test func `chunks are bounded, and drawn no faster than they are read`() async throws {
    let drawn = Atomic(0)
    let body = HTTPBody(isReplayable: true) {
      Pieces(Array(repeating: Self.noise.prefix(100_000), count: 50)) { drawn.add(1, ordering: .relaxed) }
    }
    var chunks = body.gzipped().makeAsyncIterator()
    var size = 0
    while let chunk = try await chunks.next() {
      #expect((1...(64 << 10)).contains(chunk.count))
      size += chunk.count
      // zlib holds back some of what it took.
      #expect(drawn.load(ordering: .relaxed) <= size / 90_000 + 3)
    }
    #expect(drawn.load(ordering: .relaxed) == 50)
  }

  @Test func `an error of the content ends it`() async throws {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
    continuation.yield(Data("a".utf8))
    continuation.finish(throwing: APIError.notFound)
    let body = HTTPBody(isReplayable: false) { stream }
    await #expect(throws: APIError.notFound) { try await body.gzipped().collect(upTo: 100) }
  }

  @Test func `a cancelled sender ends at once`() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await HTTPBody(Data(count: 5_000_000)).gzipped().collect(upTo: 30_000_000)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  // MARK: The middleware

  struct Row: Sendable, CustomTestStringConvertible {
    let fields: HTTPFields
    let body: HTTPBody
    let isCompressed: Bool
    let testDescription: String

    init(_ description: String, _ fields: HTTPFields, size: Int? = 5000, isCompressed: Bool) {
      self.fields = fields
      body = size.map { HTTPBody(Data(count: $0)) } ?? HTTPBody(isReplayable: true) { Pieces([Data("x".utf8)]) }
      self.isCompressed = isCompressed
      testDescription = description
    }
  }

  @Test(arguments: [
    Row("JSON", [.contentType: "application/json"], isCompressed: true),
    Row("no type", [:], isCompressed: true),
    Row("a form", [.contentType: "multipart/form-data; boundary=b"], isCompressed: true),
    Row("just large enough", [:], size: 1024, isCompressed: true),
    Row("a byte too small", [:], size: 1023, isCompressed: false),
    Row("nothing", [:], size: 0, isCompressed: false),
    Row("unknown length", [:], size: nil, isCompressed: true),
    Row("its length as a field", [.contentLength: "5000"], isCompressed: true),
    Row("a photo", [.contentType: "image/jpeg"], isCompressed: false),
    Row("a photo in capitals", [.contentType: "Image/PNG ; q=1"], isCompressed: false),
    Row("a drawing", [.contentType: "image/svg+xml"], isCompressed: true),
    Row("a film", [.contentType: "video/mp4"], isCompressed: false),
    Row("an archive", [.contentType: "application/zip"], isCompressed: false),
    Row("encoded already", [.contentEncoding: "br"], isCompressed: false),
    Row("a digest", ["Content-Digest": "sha-256=:AA==:"], isCompressed: false),
    Row("a range", [.contentRange: "bytes 0-9/10"], isCompressed: false),
  ])
  func `compresses what is worth it`(_ row: Row) async throws {
    let transport = ClosureTransport { _ in .status(.ok) }
    let request = HTTPRequest(
      method: .post, url: try #require(URL(string: "https://h/")), fields: row.fields, body: row.body)
    _ = try await GzipRequestBodies().intercept(request, context: RequestContext(), next: transport)
    let sent = try #require(transport.requests.first)
    let original = try await row.body.collect(upTo: 5000)
    if row.isCompressed {
      #expect(sent.fields[.contentEncoding] == "gzip")
      #expect(sent.fields[.contentLength] == nil)
      #expect(try await decode(sent.body) == original)
    } else {
      #expect(sent.fields == row.fields)
      #expect(sent.body == original)
    }
  }

  @Test func `every attempt is compressed, over a real wire`() async throws {
    let received = Mutex<[(HTTPFields, Data)]>([])
    let server = try await LoopbackServer.start { request in
      let body = try await request.body.collect()
      let count = received.withLock { received in
        received.append((request.fields, body))
        return received.count
      }
      return count == 1 ? LoopbackResponse(status: .serviceUnavailable, fields: [.retryAfter: "5"]) : .text("done")
    }
    var configuration = HTTPClient.Configuration(baseURL: server.baseURL)
    configuration.attemptMiddlewares = [.gzipRequestBodies]
    configuration.retry = .standard
    let clock = TestClock()
    configuration.timeSource = clock.timeSource
    let client = HTTPClient(configuration, transport: CurlTransport())
    async let text = client.send(Endpoint<String>(.put, path: "a", body: .bytes(Self.noise, contentType: "text/plain")))
    try await clock.waitForSleeper(until: .seconds(5))
    clock.advance(by: .seconds(5))
    #expect(try await text == "done")
    let requests = received.withLock { $0 }
    #expect(requests.count == 2)
    for (fields, body) in requests {
      #expect(fields[.contentEncoding] == "gzip")
      #expect(fields[.transferEncoding] == "chunked")
      #expect(try await decode(body) == Self.noise)
    }
    await server.stop()
  }

  /// Decoded by Python.
  private func decode(_ bytes: Data) async throws -> Data {
    let script = "import gzip, sys; sys.stdout.buffer.write(gzip.decompress(sys.stdin.buffer.read()))"
    let outcome = try await ChildProcess.run(["python3", "-c", script], input: bytes)
    try #require(outcome.status == 0, "\(outcome.errors)")
    return outcome.output
  }
}

/// A sequence of what is there already; tells of each element that is drawn.
private struct Pieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
  private var rest: ArraySlice<Data>
  private let onDraw: @Sendable () -> Void

  init(_ pieces: [Data], onDraw: @escaping @Sendable () -> Void = {}) {
    rest = pieces[...]
    self.onDraw = onDraw
  }

  func makeAsyncIterator() -> Self { self }

  mutating func next() async throws -> Data? {
    guard let piece = rest.popFirst() else { return nil }
    onDraw()
    return piece
  }
}
