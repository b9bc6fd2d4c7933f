import Foundation
import NetCore
import NetTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct MultipartFormTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `writes fields and files as browsers do`() async throws {
    var generator = SeededGenerator(seed: 1)
    var form = MultipartForm(using: &generator)
    form.append("caption", "Ferns & ☕️")
    try form.append("photo", file: URL(filePath: try folder.write("JPEG", to: "a b.JPG")))
    form.append("meta", bytes: Data("{}".utf8), contentType: "application/json")
    form.append("log", body: .empty, filename: "x.unknown")
    let expected = """
      --\(form.boundary)
      Content-Disposition: form-data; name="caption"

      Ferns & ☕️
      --\(form.boundary)
      Content-Disposition: form-data; name="photo"; filename="a b.JPG"
      Content-Type: image/jpeg

      JPEG
      --\(form.boundary)
      Content-Disposition: form-data; name="meta"
      Content-Type: application/json

      {}
      --\(form.boundary)
      Content-Disposition: form-data; name="log"; filename="x.unknown"
      Content-Type: application/octet-stream


      --\(form.boundary)--

      """
    #expect(form.contentType == "multipart/form-data; boundary=\(form.boundary)")
    #expect(String(decoding: try await form.bytes(), as: UTF8.self) == expected.replacing("\n", with: "\r\n"))
  }

  @Test func `a form without parts is its end alone`() async throws {
    let form = MultipartForm()
    #expect(try await form.bytes() == Data("--\(form.boundary)--\r\n".utf8))
  }

  @Test func `no two forms have the same boundary, and equal generators give equal ones`() {
    let boundaries = Set((0..<1000).map { _ in MultipartForm().boundary })
    #expect(boundaries.count == 1000)
    #expect(
      boundaries.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } })
    var (one, other) = (SeededGenerator(seed: 7), SeededGenerator(seed: 7))
    #expect(MultipartForm(using: &one).boundary == MultipartForm(using: &other).boundary)
  }

  @Test(
    arguments: [
      ("plain", "plain"), ("naïve 日本 🎈", "naïve 日本 🎈"), ("a\"b", "a%22b"), ("a\r\nb", "a%0D%0Ab"), ("\r", "%0D"),
      ("\n", "%0A"), ("\"; filename=\"evil", "%22; filename=%22evil"), ("a\r\n\r\nbody", "a%0D%0A%0D%0Abody"),
      ("100%", "100%"), ("%22", "%22"), (#"a\b"#, #"a\b"#), (#"a\"#, "a%5C"), (#"a\\b\"#, #"a%5C\b%5C"#),
      (#"\\\"#, "%5C%5C%5C"), (#"\""#, #"\%22"#), ("\\\u{301}", "\\\u{301}"), ("\u{0}\u{1B}\u{7F}", "%00%1B%7F"),
      ("\t", "\t"), ("", ""), ("e\u{301}\"", "e\u{301}%22"), ("\"\u{301}", "%22\u{301}"), ("\u{202E}", "\u{202E}"),
    ])
  func `escapes names and filenames`(name: String, written: String) async throws {
    var form = MultipartForm()
    form.append(name, bytes: Data(), filename: name, contentType: "x/y")
    let text = String(decoding: try await form.bytes(), as: UTF8.self)
    let field = "Content-Disposition: form-data; name=\"\(written)\"; filename=\"\(written)\""
    #expect(text == "--\(form.boundary)\r\n\(field)\r\nContent-Type: x/y\r\n\r\n\r\n--\(form.boundary)--\r\n")
  }

  @Test(
    arguments: [
      ("a.png", "image/png"), ("A.PNG", "image/png"), ("a.b.jpeg", "image/jpeg"), (".json", "application/json"),
      ("a.txt", "text/plain"), ("a", "application/octet-stream"), ("png", "application/octet-stream"),
      ("a.", "application/octet-stream"), ("a.pngx", "application/octet-stream"), ("", "application/octet-stream"),
      ("a.png ", "application/octet-stream"), (nil, "application/octet-stream"),
    ])
  func `the extension tells the type`(filename: String?, type: String) {
    var form = MultipartForm()
    form.append("a", bytes: Data(), filename: filename)
    #expect(form.parts.map(\.contentType) == [type])
  }

  // MARK: Length and replay

  @Test func `states its length and can be sent again when its parts do and can`() async throws {
    var form = MultipartForm()
    form.append("a", "1")
    try form.append("b", file: URL(filePath: try folder.write(Data(count: 300_000), to: "b")))
    form.append(
      "c", body: HTTPBody(length: 3, isReplayable: true) { Pieces([Data("ab".utf8), Data(), Data("c".utf8)]) })
    let body = try form.makeBody()
    let first = try await body.collect(upTo: 400_000)
    #expect(body.isReplayable)
    #expect(body.length == Int64(first.count))
    #expect(try await body.collect(upTo: 400_000) == first)

    form.append("d", body: HTTPBody(isReplayable: true) { Pieces([]) })
    #expect(try form.makeBody().length == nil)
    #expect(try form.makeBody().isReplayable)
    form.append("e", body: HTTPBody(length: 1, isReplayable: false) { Pieces([Data("e".utf8)]) })
    let once = try form.makeBody()
    #expect(!once.isReplayable)
    _ = try await once.collect(upTo: 400_000)
    await #expect(throws: APIError.invalidRequest) { try await once.collect(upTo: 400_000) }
  }

  @Test func `a length that nobody can send is not stated`() throws {
    var form = MultipartForm()
    form.append("a", body: HTTPBody(length: .max, isReplayable: true) { Pieces([]) })
    #expect(try form.makeBody().length == nil)
  }

  // MARK: Chunks

  @Test func `what is small is gathered, what is large is divided`() async throws {
    var form = MultipartForm()
    for number in 1...100 { form.append("field", "\(number)") }
    #expect(try await form.chunkSizes().count == 1)

    form.append("large", bytes: Data(count: 1_000_000))
    try form.append("file", file: URL(filePath: try folder.write(Data(count: 600_000), to: "file")))
    form.append("stream", body: HTTPBody(isReplayable: true) { Pieces([Data(count: 700_000)]) })
    form.append("last", "1")
    let sizes = try await form.chunkSizes()
    #expect(sizes.allSatisfy { (1...(256 << 10)).contains($0) })
    #expect(sizes.count < 20)
  }

  @Test func `a stream is drawn from no faster than the form is read`() async throws {
    let drawn = Counter()
    var form = MultipartForm()
    form.append("a", body: HTTPBody(isReplayable: true) { CountedPieces(count: 50, size: 100_000, drawn: drawn) })
    var chunks = try form.makeBody().makeAsyncIterator()
    #expect(drawn.value == 0)
    _ = try await chunks.next()  // the head, since the first piece is too large to be gathered with it
    #expect(drawn.value == 1)
    for expected in 1...50 {
      #expect(try await chunks.next()?.count == 100_000)
      #expect(drawn.value == expected)
    }
  }

  @Test func `what a stream brings goes on at once`() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
    var form = MultipartForm()
    form.append("a", body: HTTPBody(isReplayable: false) { stream })
    var chunks = try form.makeBody().makeAsyncIterator()
    continuation.yield(Data("first".utf8))
    #expect(try await chunks.next().map { $0.suffix(5) } == Data("first".utf8))
    continuation.yield(Data("second".utf8))
    #expect(try await chunks.next() == Data("second".utf8))
    continuation.finish()
    #expect(try await chunks.next() == Data("\r\n--\(form.boundary)--\r\n".utf8))
    #expect(try await chunks.next() == nil)
  }

  // MARK: Failures

  @Test(arguments: [0, 10, 299_999, 300_001, 900_000])
  func `a file whose length changes fails the request`(length: Int) async throws {
    let path = try folder.write(Data(count: 300_000), to: "file")
    var form = MultipartForm()
    try form.append("file", file: URL(filePath: path))
    let body = try form.makeBody()
    try Data(count: length).write(to: URL(filePath: path))
    let error = try await apiError { try await body.collect(upTo: 1_000_000) }
    #expect(error.kind == .invalidRequest)
    #expect(error.mayHaveReachedServer)
  }

  @Test(arguments: [0, 1, 9, 11, 100])
  func `a stream of another length than it states fails the request, even if the sum is right`(length: Int) async throws
  {
    var form = MultipartForm()
    form.append("a", body: HTTPBody(length: 10, isReplayable: true) { Pieces([Data(count: length)]) })
    await #expect(throws: APIError.invalidRequest) { try await form.bytes() }
    form.append("b", body: HTTPBody(length: Int64(length), isReplayable: true) { Pieces([Data(count: 10)]) })
    await #expect(throws: APIError.invalidRequest) { try await form.bytes() }
  }

  @Test func `no file, no part`() throws {
    var form = MultipartForm()
    for url in [folder.url, folder.url.appending(path: "none")] {
      #expect(throws: APIError.invalidRequest) { try form.append("a", file: url) }
    }
    #expect(form.parts.isEmpty)
  }

  @Test(arguments: ["a\r\nX-Evil: 1", "a\n\nbody", "a\u{0}"])
  func `a content type cannot end its field`(type: String) async {
    var form = MultipartForm()
    form.append("a", bytes: Data(), contentType: type)
    #expect(throws: APIError.invalidRequest) { try form.makeBody() }
    let client = makeClient(answering(.status(.ok)))
    await #expect(throws: APIError.invalidRequest) {
      try await client.send(Endpoint<Void>(.post, path: "a", body: .multipart(form)))
    }
  }

  // MARK: In a request

  private struct Upload: APIRequest {
    typealias Response = Void
    let form: MultipartForm
    var method: HTTPRequest.Method { .post }
    var path: RequestPath { "photos" }
    var body: RequestBody { .multipart(form) }
  }

  @Test func `a request declares it as its body`() async throws {
    var form = MultipartForm()
    form.append("a", "1")
    let transport = answering(.status(.ok))
    try await makeClient(transport).send(Upload(form: form))
    let request = try #require(transport.requests.first)
    #expect(request.fields[.contentType] == form.contentType)
    #expect(request.body == (try await form.bytes()))
  }

  @Test func `printing shows nothing of it`() throws {
    var form = MultipartForm()
    form.append("secret-name", bytes: Data("secret".utf8), filename: "secret.txt")
    for shown in ["\(form)", "\(form.parts)", "\(RequestBody.multipart(form))", String(reflecting: form)] {
      #expect(!shown.contains("secret"))
    }
    var dumped = ""
    dump(form, to: &dumped)
    dump(form.parts, to: &dumped)
    #expect(!dumped.contains("secret"))
  }
}

extension MultipartForm {
  fileprivate func bytes() async throws -> Data {
    try await makeBody().collect(upTo: 10_000_000)
  }

  fileprivate func chunkSizes() async throws -> [Int] {
    var sizes: [Int] = []
    for try await chunk in try makeBody() { sizes.append(chunk.count) }
    return sizes
  }
}

private final class Counter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  func increment() {
    count.add(1, ordering: .relaxed)
  }
}

/// So many pieces, counted as they are drawn.
private struct CountedPieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
  var count: Int
  let size: Int
  let drawn: Counter

  func makeAsyncIterator() -> Self { self }

  mutating func next() async throws -> Data? {
    guard count > 0 else { return nil }
    count -= 1
    drawn.increment()
    return Data(count: size)
  }
}
