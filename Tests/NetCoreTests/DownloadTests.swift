import Foundation
import NetTesting
import Synchronization
import TestSupport
import Testing

@testable import NetCore

@Suite(.timeLimit(.minutes(1))) struct DownloadTests {
  private let folder: TemporaryFolder
  private let target: URL
  private let content = someBytes(20_000)
  private var options = DownloadOptions()

  init() throws {
    folder = try TemporaryFolder()
    target = folder.url.appending(path: "map.zip")
    options.backoff = .none
    options.timeSource = TestClock().timeSource
  }

  private var names: [String] { folder.names }

  private func download(_ server: RangeServer, seen: Seen? = nil) async throws -> DownloadedFile {
    try await HTTPClient.asking(server).download(map, to: target, options: options, progress: seen?.watch)
  }

  @Test func `a file comes as a whole, and nothing else stays`() async throws {
    let (server, seen) = (RangeServer(content), Seen())
    let file = try await download(server, seen: seen)
    #expect(try Data(contentsOf: target) == content)
    #expect(names == ["map.zip"])
    #expect(file.url.path == target.path && file.size == 20_000 && file.resumedSize == 0 && file.requests == 1)
    #expect(server.ranges == [nil])
    seen.expectMonotonic(to: 20_000)
  }

  @Test func `a download that breaks off goes on where it was`() async throws {
    let (server, seen) = (RangeServer(content, cuts: [7_000, 0, 1, 5_500]), Seen())
    let file = try await download(server, seen: seen)
    #expect(try Data(contentsOf: target) == content)
    #expect(server.ranges == [nil, "bytes=7000-", "bytes=7000-", "bytes=7001-", "bytes=12501-"])
    #expect(file.requests == 5)
    seen.expectMonotonic(to: 20_000)
  }

  @Test func `the next run goes on where the last one gave up`() async throws {
    try Data("old".utf8).write(to: target)
    await #expect(throws: APIError.transport(.connectionLost)) {
      try await download(RangeServer(content, cuts: [7_000] + Array(repeating: 0, count: 10)))
    }
    #expect(try Data(contentsOf: target) == Data("old".utf8))
    #expect(names == ["map.zip", "map.zip.partial", "map.zip.partial.json"])
    let (server, seen) = (RangeServer(content), Seen())
    let file = try await download(server, seen: seen)
    #expect(try Data(contentsOf: target) == content)
    #expect(server.ranges == ["bytes=7000-"] && file.resumedSize == 7_000 && file.requests == 1)
    #expect(names == ["map.zip"])
    seen.expectMonotonic(to: 20_000)
  }

  @Test func `a file that changed is begun anew, in the same run and in the next`() async throws {
    let changed = someBytes(15_000, seed: 2)
    let server = RangeServer(content, cuts: [7_000])
    let changing = makeClient(
      ClosureTransport { request in
        defer { server.change { ($0.content, $0.validator) = (changed, #""v2""#) } }
        return server.answer(request)
      })
    let file = try await changing.download(map, to: target, options: options)
    #expect(try Data(contentsOf: target) == changed)
    #expect(server.ranges == [nil, "bytes=7000-"] && file.resumedSize == 0)

    await #expect(throws: APIError.self) {
      try await download(RangeServer(content, cuts: [7_000] + Array(repeating: 0, count: 10)))
    }
    let next = try await download(server)
    #expect(try Data(contentsOf: target) == changed)
    #expect(next.resumedSize == 0)
  }

  enum Weakness: CaseIterable, CustomTestStringConvertible {
    case noValidator, weakTag, noRanges, refusedRanges, coded

    var testDescription: String { "\(self)" }

    func file(_ content: Data) -> RangeServer.File {
      var file = RangeServer.File(content: content)
      switch self {
      case .noValidator: file.validator = ""
      case .weakTag: file.validator = #"W/"v1""#
      case .noRanges: file.knowsRanges = false
      case .refusedRanges: file.fields["Accept-Ranges"] = "none"
      case .coded: file.fields[.contentEncoding] = "gzip"
      }
      return file
    }
  }

  @Test(arguments: Weakness.allCases) func `without what proves it the same, it begins anew`(
    _ weakness: Weakness
  ) async throws {
    let server = RangeServer(weakness.file(content), cuts: [7_000, 9_000])
    let file = try await download(server)
    #expect(try Data(contentsOf: target) == content)
    #expect(file.requests == 3 && file.resumedSize == 0)
    if weakness != .noRanges { #expect(server.ranges == [nil, nil, nil]) }
  }

  @Test func `what cannot be gone on with is removed when the download fails`() async throws {
    var file = RangeServer.File(content: content)
    file.validator = ""
    await #expect(throws: APIError.transport(.connectionLost)) {
      try await download(RangeServer(file, cuts: Array(repeating: 7_000, count: 10)))
    }
    #expect(names.isEmpty)
  }

  @Test func `a complete partial asks for its last byte, to learn whether it is still right`() async throws {
    try await leave(content)
    let server = RangeServer(content)
    let file = try await download(server)
    #expect(server.ranges == ["bytes=19999-"] && file.size == 20_000)
    #expect(try Data(contentsOf: target) == content)
  }

  @Test(arguments: [416, 206]) func `an answer to another question is not spliced in`(_ status: Int) async throws {
    try await leave(content.prefix(7_000))
    let asked = Mutex<[String?]>([])
    let client = makeClient(
      ClosureTransport { [content] request in
        asked.withLock { $0.append(request.fields[.range]) }
        guard request.fields.contains(.range) else { return HTTPResponse(body: .init(content)) }
        return HTTPResponse(
          status: try #require(HTTPResponse.Status(code: status)), fields: [.contentRange: "bytes 0-9/10"],
          body: .init(Data(count: 10)))
      })
    try await client.download(map, to: target, options: options)
    #expect(try Data(contentsOf: target) == content)
    #expect(asked.withLock { $0 } == ["bytes=7000-", nil])
  }

  @Test func `metadata that does not fit is not trusted`() async throws {
    for damage in ["", "{}", #"{"request":{"digest":"x"},"version":1,"validator":"\"v1\"","total":20000}"#] {
      try await leave(content.prefix(7_000))
      try folder.write(damage, to: "map.zip.partial.json")
      let server = RangeServer(content)
      _ = try await download(server)
      #expect(server.ranges == [nil])
      #expect(try Data(contentsOf: target) == content)
    }
    try await leave(content.prefix(7_000))
    try folder.write(content + content, to: "map.zip.partial")
    let server = RangeServer(content)
    _ = try await download(server)
    #expect(server.ranges == [nil], "more bytes than the whole has")
  }

  @Test func `another request's partial is not gone on with`() async throws {
    try await leave(content.prefix(7_000))
    let server = RangeServer(content)
    try await HTTPClient.asking(server).download(
      Endpoint<Void>(path: "maps/bergen"), to: target, options: options)
    #expect(server.ranges == [nil])
  }

  @Test func `a request that fails leaves what another has begun`() async throws {
    try await leave(content.prefix(7_000))
    await #expect(throws: APIError.notFound) {
      try await makeClient(answering(HTTPResponse(status: 404))).download(
        Endpoint<Void>(path: "maps/bergen"), to: target, options: options)
    }
    #expect(names == ["map.zip.partial", "map.zip.partial.json"])
  }

  @Test func `a status that may pass is asked again, another is the failure`() async throws {
    let statuses = Mutex<[HTTPResponse.Status]>([503, 429, 408])
    let server = RangeServer(content)
    let client = makeClient(
      ClosureTransport { request in
        let status = statuses.withLock { $0.popLast() }
        return status.map { HTTPResponse(status: $0) } ?? server.answer(request)
      })
    #expect(try await client.download(map, to: target, options: options).requests == 4)
    let error = try await apiError {
      try await makeClient(
        answering(HTTPResponse(status: 403, body: .init(Data(#"{"message": "not yours"}"#.utf8))))
      ).download(map, to: folder.url.appending(path: "other"), options: options)
    }
    #expect(error == .forbidden && error.serverMessage?.text == "not yours")
    #expect(error.request?.method == .get && error.attempts == 1)
    #expect(names == ["map.zip"])
  }

  @Test func `only a GET is downloaded`() async throws {
    await #expect(throws: APIError.invalidRequest) {
      try await HTTPClient.asking(RangeServer(content)).download(Endpoint<Void>(.post, path: "maps"), to: target)
    }
  }

  /// Leaves what a download that broke off leaves.
  private func leave(_ part: Data) async throws {
    var impatient = options
    impatient.maximumFailures = 1
    let once = impatient
    let whole = HTTPResponse.Body(length: 20_000, source: CutBody(part + Data([0]), after: part.count))
    let client = makeClient(answering(HTTPResponse(fields: [.eTag: #""v1""#], body: whole)))
    await #expect(throws: APIError.transport(.connectionLost)) {
      try await client.download(map, to: target, options: once)
    }
  }
}

let map = Endpoint<Void>(path: "maps/oslo.zip")

extension TemporaryFolder {
  /// What is in it.
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }
}
