import Foundation
import NetCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct MultipartReaderTests {
  /// A form, with line ends written as `|`, and what is read of it: `name=content`, `name(filename)=content`.
  struct Row: Sendable, CustomTestStringConvertible {
    let form: String
    let parts: [String]?
    var kind: MultipartError.Kind?
    var testDescription: String { String(form.debugDescription.prefix(90)) }

    init(_ form: String, _ parts: String...) {
      self.form = form
      self.parts = parts
    }

    init(_ form: String, fails kind: MultipartError.Kind) {
      self.form = form
      parts = nil
      self.kind = kind
    }

    var bytes: Data { Data(form.replacingOccurrences(of: "|", with: "\r\n").utf8) }
  }

  private static let a = #"Content-Disposition: form-data; name="a""#
  private static let b = #"Content-Disposition: form-data; name="b""#

  static let rows = [
    Row("--b|\(a)||1|--b--|", "a=1"),
    Row("--b|\(a)||1|--b|\(b)||2|--b--|", "a=1", "b=2"),
    Row("--b|\(a)||1|--b|\(a)||2|--b--|", "a=1", "a=2"),
    Row(#"--b|\#(a); filename="f.txt"|Content-Type: text/plain||1|--b--|"#, "a(f.txt)=1"),
    // No part, no content, content that looks like a delimiter.
    Row("--b--"),
    Row("--b--|"),
    Row("--b|\(a)|||--b--", "a="),
    Row("--b|\(a)||--b--", "a="),
    Row("--b|\(a)||--b|\(b)|||--b--", "a=", "b="),
    Row("--b|\(a)|||1||--b--", "a=\r\n1\r\n"),
    Row("--b|\(a)||\r\r\n-\r\n--\r\n--a\r\n--|--b--", "a=\r\r\n-\r\n--\r\n--a\r\n--"),
    Row("--b|\(a)||x--b--|--b--", "a=x--b--"),
    Row("--b|\(a)||\n--b|--b--", "a=\n--b"),
    Row("--b|\(a)||\r--b|--b--", "a=\r--b"),
    Row("--b|\(a)||-|--b--", "a=-"),
    Row("--b|\(a)||\r|--b--", "a=\r"),
    // Preamble, epilogue, padding.
    Row("ignore|me|--b|\(a)||1|--b--", "a=1"),
    Row("|--b|\(a)||1|--b--", "a=1"),
    Row("--c|--b|\(a)||1|--b--", "a=1"),
    Row("x--b|--b|\(a)||1|--b--", "a=1"),
    Row("--b \t |\(a)||1|--b\t|\(b)||2|--b-- \t", "a=1", "b=2"),
    Row("--b|\(a)||1|--b-- |epilogue|--b|garbage", "a=1"),
    Row("--b|\(a)||1|--b--||", "a=1"),
    // Fields.
    Row("--b|content-disposition:FORM-DATA;NAME=a||1|--b--", "a=1"),
    Row("--b|Content-Type: x|\(a)|X-More: y||1|--b--", "a=1"),
    Row("--b|\(a)|Content-Transfer-Encoding: BINARY||1|--b--", "a=1"),
    Row("--b|\(a); filename*=UTF-8''x.txt||1|--b--", "a=1"),
    Row("--b|\(a); filename=||1|--b--", fails: .malformed),
    Row(#"--b|\#(a); filename=""||1|--b--"#, "a()=1"),
    Row(#"--b|Content-Disposition: form-data; name=""||1|--b--"#, "=1"),
    Row("--b||1|--b--", fails: .malformed),
    Row("--b|Content-Type: x||1|--b--", fails: .malformed),
    Row("--b|Content-Disposition: form-data||1|--b--", fails: .malformed),
    Row(#"--b|Content-Disposition: attachment; name="a"||1|--b--"#, fails: .malformed),
    Row(#"--b|Content-Disposition: name="a"||1|--b--"#, fails: .malformed),
    Row(#"--b|\#(a); name="c"||1|--b--"#, fails: .malformed),
    Row(#"--b|Content-Disposition: form-data; name="a||1|--b--"#, fails: .malformed),
    Row(#"--b|Content-Disposition: form-data; name="a"b"||1|--b--"#, fails: .malformed),
    Row("--b|\(a)|\(a)||1|--b--", fails: .malformed),
    Row("--b|\(a)|Content-Type: x|Content-Type: y||1|--b--", fails: .malformed),
    Row("--b|\(a)|Content-Transfer-Encoding: base64||MQ==|--b--", fails: .malformed),
    Row(#"--b|Content-Disposition: form-data;| name="a"||1|--b--"#, fails: .malformed),
    Row("--b|\(a)|Content-Type : x||1|--b--", fails: .malformed),
    Row("--b|\(a)|no field||1|--b--", fails: .malformed),
    Row("--b|\(a)|: x||1|--b--", fails: .malformed),
    Row("--b|\(a)|X: a\u{0}b||1|--b--", fails: .malformed),
    Row("--b|\(a)|X: a\nY: b||1|--b--", fails: .malformed),
    Row("--b|\(a)|X: a\rb||1|--b--", fails: .malformed),
    Row("--b|\(a)\n\n1|--b--", fails: .malformed),
    // Delimiters.
    Row("--b\n\(a)||1|--b--", fails: .malformed),
    Row("--b\r\r\n\(a)||1|--b--", fails: .malformed),
    Row("--bc|\(a)||1|--b--", fails: .malformed),
    Row("--b|\(a)||1|--bc|--b--", fails: .malformed),
    Row("--b|\(a)||1|--b-|--b--", fails: .malformed),
    Row("--b|\(a)||1|--b- -", fails: .malformed),
    Row("--b|\(a)||1|--b--x", fails: .malformed),
    Row("--b|\(a)||1|--b-- x", fails: .malformed),
    Row("--b|\(a)||1|--b--\n", fails: .malformed),
    // The end is missing.
    Row("", fails: .truncated),
    Row("hello", fails: .truncated),
    Row("--b", fails: .truncated),
    Row("--b|", fails: .truncated),
    Row("--b|\(a)", fails: .truncated),
    Row("--b|\(a)|", fails: .truncated),
    Row("--b|\(a)||", fails: .truncated),
    Row("--b|\(a)||1", fails: .truncated),
    Row("--b|\(a)||1|", fails: .truncated),
    Row("--b|\(a)||1|--b", fails: .truncated),
    Row("--b|\(a)||1|--b-", fails: .truncated),
    Row("--b|\(a)||1|--b|", fails: .truncated),
    Row("--b|\(a)||1|--b--\r", fails: .truncated),
    Row("--B|\(a)||1|--B--", fails: .truncated),
  ]

  @Test(arguments: rows)
  func `reads what is right and refuses what is wrong`(_ row: Row) async throws {
    switch try await readForm([row.bytes]) {
    case .success(let parts):
      #expect(row.parts == parts.map { "\($0.name)\($0.filename.map { "(\($0))" } ?? "")=\($0.text ?? "?")" })
    case .failure(let error):
      #expect(row.kind == error.kind)
    }
  }

  @Test(arguments: rows)
  func `it does not matter where the bytes are divided`(_ row: Row) async throws {
    let whole = try await readForm([row.bytes])
    #expect(try await readForm(row.bytes.bytewise) == whole)
    for place in 0...row.bytes.count {
      let halves = [row.bytes.prefix(place), row.bytes.dropFirst(place)]
      #expect(try await readForm(halves) == whole, "divided at \(place)")
    }
  }

  // MARK: Boundaries

  @Test(
    arguments: [
      ("multipart/form-data; boundary=b", "b"), ("Multipart/Form-Data;BOUNDARY=\"b\"", "b"),
      ("multipart/form-data; charset=utf-8; boundary=b; x=y", "b"), ("multipart/form-data; boundary=\"a b\"", "a b"),
      ("multipart/form-data; boundary=\"'()+_,-./:=?\"", "'()+_,-./:=?"),
      ("multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxk", "----WebKitFormBoundary7MA4YWxk"),
      ("multipart/form-data; boundary=--", "--"),
      ("multipart/form-data; boundary=\(String(repeating: "x", count: 70))", String(repeating: "x", count: 70)),
      ("multipart/form-data; boundary=\(String(repeating: "x", count: 71))", nil),
      ("multipart/form-data; boundary=\"\"", nil), ("multipart/form-data; boundary=", nil),
      ("multipart/form-data", nil), ("multipart/form-data; boundary=\"b \"", nil),
      ("multipart/form-data; boundary=é", nil), ("multipart/form-data; boundary=\"a\u{0}b\"", nil),
      ("multipart/form-data; boundary=\"a\tb\"", nil), ("multipart/form-data; boundary=a@b", nil),
      ("multipart/form-data; boundary=a; boundary=b", nil), ("multipart/form-data; boundary=a b", nil),
      ("multipart/form-data; boundary=\"a", nil), ("multipart/mixed; boundary=b", nil), ("text/plain", nil), ("", nil),
      (nil, nil),
    ] as [(String?, String?)])
  func `takes the boundary from the content type`(contentType: String?, boundary: String?) async throws {
    guard let boundary else {
      let error = #expect(throws: MultipartError.self) { try MultipartReader(Pieces([]), contentType: contentType) }
      #expect(error?.kind == .notMultipart)
      return
    }
    let form = Data("--\(boundary)\r\n\(Self.a)\r\n\r\n--x\r\n--\(boundary)--\r\n".utf8)
    let parts = try await readForm(form.bytewise, contentType: try #require(contentType)).get()
    #expect(parts.map(\.text) == ["--x"])
  }

  // MARK: Names

  @Test(
    arguments: [
      ("plain", "plain"), ("naïve 日本 🎈", "naïve 日本 🎈"), ("a;b=c", "a;b=c"), ("%22%0D%0A", "\"\r\n"),
      ("%22a%0d%0a", "\"a\r\n"), ("%00%1B%7F", "\u{0}\u{1B}\u{7F}"), ("100%", "100%"), ("%41%20%2", "%41%20%2"),
      ("%2%22", "%2\""), ("a%5C%5c", #"a\\"#), ("%+2", "%+2"), (#"a\"#, #"a\"#), (#"a\\b"#, #"a\\b"#),
      (#"C:\x.txt"#, #"C:\x.txt"#),
      (#"a\"b"#, #"a"b"#), (#"\""#, #"""#), ("../../etc/passwd", "../../etc/passwd"), ("\t", "\t"), ("", ""),
    ])
  func `reads names and filenames`(written: String, read: String) async throws {
    let form = """
      --b\r\nContent-Disposition: form-data; name="\(written)"; filename="\(written)"\r\n\r\n1\r\n--b--\r\n
      """
    let parts = try await readForm([Data(form.utf8)]).get()
    #expect(parts.map(\.name) == [read])
    #expect(parts.map(\.filename) == [read])
    #expect(parts.allSatisfy { !$0.safeFilename(default: "upload").contains { "/\\\r\n\0".contains($0) } })
  }

  @Test func `a name that is not UTF-8 is read as Latin-1`() async throws {
    let beginning = Data("--b\r\nContent-Disposition: form-data; name=\"na".utf8)
    let form = beginning + [0xEF] + Data("ve\"\r\n\r\n1\r\n--b--".utf8)
    #expect(try await readForm([form]).get().map(\.name) == ["naïve"])
  }

  // MARK: Limits

  private static let two = Data("--b\r\n\(a)\r\n\r\n12345\r\n--b\r\n\(b)\r\n\r\n123\r\n--b--\r\n".utf8)

  @Test(
    arguments: [
      ("parts", 2, nil), ("parts", 1, .tooManyParts), ("parts", 0, .tooManyParts),
      ("head", a.utf8.count + 4, nil), ("head", a.utf8.count + 3, .headTooLarge), ("head", 0, .headTooLarge),
      ("part", 5, nil), ("part", 4, .partTooLarge), ("part", 0, .partTooLarge),
      ("total", two.count, nil), ("total", two.count - 1, .tooLarge), ("total", 20, .tooLarge), ("total", 0, .tooLarge),
    ] as [(String, Int, MultipartError.Kind?)])
  func `limits hold to the byte`(what: String, limit: Int, kind: MultipartError.Kind?) async throws {
    var limits = MultipartReader.Limits()
    switch what {
    case "parts": limits.maximumPartCount = limit
    case "head": limits.maximumHeadSize = limit
    case "part": limits.maximumPartSize = Int64(limit)
    default: limits.maximumSize = Int64(limit)
    }
    for size in [1, 2, 7, 1000] {
      let form = try await readForm(Self.two.divided(by: size), limits: limits)
      #expect(form.failure?.kind == kind, "divided by \(size)")
      #expect(form.failure?.isTooLarge != false)
    }
  }

  @Test(arguments: [
    "--b\r\nX: ", "--b\r\n" + a + "\r\n\r\n", "", "--b", "--b\r\n" + a + "\r\n\r\n1\r\n--b--\r\n",
  ])
  func `what never ends is given up at a limit`(beginning: String) async throws {
    var limits = MultipartReader.Limits()
    limits.maximumPartSize = 50_000
    limits.maximumSize = 100_000
    let endless = Endless(beginning: Data(beginning.utf8), then: Data(repeating: UInt8(ascii: " "), count: 1000))
    let reader = try MultipartReader(endless, contentType: "multipart/form-data; boundary=b", limits: limits)
    let error = await #expect(throws: MultipartError.self) { try await reader.collect() }
    #expect(error?.isTooLarge == true)
  }

  // MARK: Reading

  @Test func `a part that is not read, or not to its end, is skipped`() async throws {
    let reader = try MultipartReader(Pieces(Self.two.divided(by: 3)), contentType: "multipart/form-data; boundary=b")
    var names: [String] = []
    for try await part in reader {
      names.append(part.name)
      if part.name == "a" { for try await chunk in part.body where !chunk.isEmpty { break } }
    }
    #expect(names == ["a", "b"])
  }

  @Test func `reading goes on where it stopped, and a part passed by cannot be read`() async throws {
    let reader = try MultipartReader(Pieces(Self.two.bytewise), contentType: "multipart/form-data; boundary=b")
    var parts = reader.makeAsyncIterator()
    let first = try #require(try await parts.next(isolation: nil))
    for try await _ in first.body { break }
    #expect(try await first.text() == "2345")
    #expect(try await first.collect() == Data())
    let second = try #require(try await parts.next(isolation: nil))
    let error = await #expect(throws: MultipartError.self) { try await first.collect() }
    #expect(error?.kind == .passedBy)
    #expect(try await second.text() == "123")
    #expect(try await parts.next(isolation: nil) == nil)
    #expect(try await second.collect() == Data())
  }

  @Test func `an error of the source is passed on, and comes again`() async throws {
    let failure = APIError(.transport(.truncated), reason: "the wire")
    let (failing, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
    continuation.yield(Self.two.prefix(60))
    continuation.finish(throwing: failure)
    let reader = try MultipartReader(failing, contentType: "multipart/form-data; boundary=b")
    for _ in 1...2 { await #expect(throws: failure) { try await reader.collect() } }
  }

  @Test func `a cancelled reader ends at once`() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await readForm([Self.two])
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `content that is not UTF-8 is no text`() async throws {
    let form = Data("--b\r\n\(Self.a)\r\n\r\n".utf8) + [0xFF] + Data("\r\n--b--".utf8)
    let reader = try MultipartReader(Pieces([form]), contentType: "multipart/form-data; boundary=b")
    for try await part in reader {
      let error = await #expect(throws: MultipartError.self) { try await part.text() }
      #expect(error?.kind == .malformed)
    }
  }
}

/// Bytes without an end.
private struct Endless: AsyncSequence, AsyncIteratorProtocol {
  var beginning: Data
  let then: Data

  func makeAsyncIterator() -> Self { self }

  mutating func next() async throws -> Data? {
    defer { beginning = Data() }
    return beginning.isEmpty ? then : beginning
  }

  init(beginning: Data, then: Data) {
    self.beginning = beginning
    self.then = then
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
