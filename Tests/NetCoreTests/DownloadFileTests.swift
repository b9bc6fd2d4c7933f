import Foundation
import NetTesting
import Synchronization
import TestSupport
import Testing

@_spi(NetKits) @testable import NetCore

@Suite(.timeLimit(.minutes(1))) struct DownloadFileTests {
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

  // MARK: Digests and sizes

  @Test func `the caller's digest is checked, and so is the server's`() async throws {
    let digest = SHA256.digest(of: content)
    let options = options { $0.sha256 = digest.map { String(format: "%02X", $0) }.joined() }
    var file = RangeServer.File(content: content)
    file.fields["Repr-Digest"] = "sha-256=:\(digest.base64EncodedString()):"
    try await HTTPClient.asking(RangeServer(file, cuts: [7_000])).download(map, to: target, options: options)
    #expect(try Data(contentsOf: target) == content)
  }

  @Test(arguments: [true, false]) func `another digest throws the content away`(_ isCallers: Bool) async throws {
    try Data("old".utf8).write(to: target)
    var file = RangeServer.File(content: content)
    let options = options { $0.sha256 = isCallers ? String(repeating: "0", count: 64) : nil }
    if !isCallers { file.fields["Repr-Digest"] = "sha-256=:\(Data(count: 32).base64EncodedString()):" }
    let server = RangeServer(file)
    await #expect(throws: APIError(.transfer(.digestMismatch), reason: "")) {
      try await HTTPClient.asking(server).download(map, to: target, options: options)
    }
    #expect(server.ranges.count == 1)
    #expect(try Data(contentsOf: target) == Data("old".utf8))
    #expect(folder.names == ["map.zip"])
  }

  @Test func `a part that was damaged is noticed, and all of it comes anew, once`() async throws {
    let options = options { $0.sha256 = SHA256.digest(of: content).map { String(format: "%02x", $0) }.joined() }
    let cut = RangeServer(content, cuts: [7_000] + Array(repeating: 0, count: 10))
    await #expect(throws: APIError.self) {
      try await HTTPClient.asking(cut).download(map, to: target, options: options)
    }
    try folder.write(Data(count: 7_000), to: "map.zip.partial")
    let server = RangeServer(content)
    try await HTTPClient.asking(server).download(map, to: target, options: options)
    #expect(server.ranges == ["bytes=7000-", nil])
    #expect(try Data(contentsOf: target) == content)
  }

  @Test(arguments: [20_000, nil] as [Int64?]) func `a file over the limit is refused`(_ length: Int64?) async throws {
    let options = options { $0.maximumSize = 19_999 }
    let body = HTTPResponse.Body(length: length, source: CutBody(content, after: nil))
    await #expect(throws: APIError.tooLarge) {
      try await makeClient(answering(HTTPResponse(body: body))).download(map, to: target, options: options)
    }
    #expect(folder.names.isEmpty)
  }

  @Test func `a file that does not fit the disk is refused before it comes`() async throws {
    let body = HTTPResponse.Body(length: .max / 2, source: CutBody(content, after: nil))
    let error = try await apiError {
      try await makeClient(answering(HTTPResponse(body: body))).download(map, to: target, options: options)
    }
    #expect(error.kind == .transfer(.noSpace))
    #expect(error.reason.contains("there is room for"))
    #expect(folder.names.isEmpty)
  }

  @Test func `more bytes than announced are refused`() async throws {
    let body = HTTPResponse.Body(length: 10, source: CutBody(content, after: nil))
    await #expect(throws: APIError.transport(.malformed)) {
      try await makeClient(answering(HTTPResponse(body: body))).download(map, to: target, options: options)
    }
    #expect(folder.names.isEmpty)
  }

  // MARK: Names

  struct Name: CustomTestStringConvertible {
    let disposition: String?
    let name: String

    var testDescription: String { disposition ?? "none" }
  }

  @Test(arguments: [
    Name(disposition: nil, name: "oslo.zip"),
    Name(disposition: "attachment", name: "oslo.zip"),
    Name(disposition: #"attachment; filename="city map.zip""#, name: "city map.zip"),
    Name(disposition: #"attachment; filename="../../etc/passwd""#, name: "passwd"),
    Name(disposition: #"attachment; filename="..""#, name: "oslo.zip"),
    Name(disposition: #"attachment; filename=".bashrc""#, name: "bashrc"),
    Name(disposition: #"attachment; filename*=UTF-8''na%C3%AFve%2F%00x.txt"#, name: "x.txt"),
  ]) func `in a folder the server names the file`(_ row: Name) async throws {
    var file = RangeServer.File(content: content)
    file.fields[.contentDisposition] = row.disposition
    let place = try await HTTPClient.asking(RangeServer(file)).download(map, to: folder.url, options: options)
    #expect(folder.names == [row.name])
    #expect(place.url.lastPathComponent == row.name)
  }

  @Test func `in a folder nothing is replaced`() async throws {
    try folder.write("mine", to: "oslo.zip")
    let server = RangeServer(content, cuts: [7_000])
    try await HTTPClient.asking(server).download(map, to: folder.url, options: options)
    try await HTTPClient.asking(server).download(map, to: folder.url, options: options)
    #expect(folder.names == ["oslo 2.zip", "oslo 3.zip", "oslo.zip"])
    #expect(try String(contentsOf: folder.url.appending(path: "oslo.zip"), encoding: .utf8) == "mine")
  }

  @Test func `in a folder the next run goes on too`() async throws {
    var file = RangeServer.File(content: content)
    file.fields[.contentDisposition] = "attachment; filename=city.zip"
    await #expect(throws: APIError.self) {
      try await HTTPClient.asking(RangeServer(file, cuts: [7_000] + Array(repeating: 0, count: 10)))
        .download(map, to: folder.url, options: options)
    }
    let server = RangeServer(content)
    try await HTTPClient.asking(server).download(map, to: folder.url, options: options)
    #expect(server.ranges == ["bytes=7000-"])
    #expect(folder.names == ["city.zip"], "the name came with the beginning")
  }

  // MARK: Files

  @Test func `a new file has a new file's permissions, a replaced one keeps its own`() async throws {
    try folder.write("x", to: "plain")
    try await HTTPClient.asking(RangeServer(content)).download(map, to: target, options: options)
    #expect(permissions("map.zip") == permissions("plain"))
    for mode in [0o600, 0o640, 0o666] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: target.path)
      try await HTTPClient.asking(RangeServer(content)).download(map, to: target, options: options)
      #expect(permissions("map.zip") == mode)
    }
  }

  @Test func `a second download to the same file is refused`() async throws {
    let body = ScriptedBody()
    body.send("first")
    let first = Task { [options] in
      try await makeClient(answering(HTTPResponse(body: body.body))).download(map, to: target, options: options)
    }
    while folder.names.isEmpty, !Task.isCancelled { await Task.yield() }
    // It is made and locked in one step of a thread; whoever comes in between, waits for nobody.
    let error = try await apiError {
      while true { _ = try await HTTPClient.asking(RangeServer(content)).download(map, to: target, options: options) }
    }
    #expect(error.kind == .transfer(.busy))
    body.finish()
    #expect(try await first.value.size == 5)
  }

  @Test func `a partial that is a link, a pipe or somebody's file is left alone`() async throws {
    let precious = try folder.write("precious", to: "precious")
    let partial = folder.path("map.zip.partial")
    try FileManager.default.createSymbolicLink(atPath: partial, withDestinationPath: precious)
    await #expect(throws: APIError(.transfer(.file), reason: "")) {
      try await HTTPClient.asking(RangeServer(content)).download(map, to: target, options: options)
    }
    try FileManager.default.removeItem(atPath: partial)
    mkfifo(partial, 0o600)
    await #expect(throws: APIError(.transfer(.file), reason: "")) {
      try await HTTPClient.asking(RangeServer(content)).download(map, to: target, options: options)
    }
    try FileManager.default.removeItem(atPath: partial)
    try FileManager.default.linkItem(atPath: precious, toPath: partial)
    try await HTTPClient.asking(RangeServer(content)).download(map, to: target, options: options)
    #expect(try String(contentsOfFile: precious, encoding: .utf8) == "precious")
    #expect(try Data(contentsOf: target) == content)
  }

  @Test func `a folder that is not there is a failure that says so`() async throws {
    let error = try await apiError {
      try await HTTPClient.asking(RangeServer(content)).download(
        map, to: folder.url.appending(path: "none/map.zip"), options: options)
    }
    #expect(error.kind == .transfer(.file) && error.reason.contains("No such file or directory"))
  }

  // MARK: Cancellation

  @Test(arguments: [0, 1, 999, 1_000, 7_500, 19_999]) func `cancelled at any moment, it can be gone on with`(
    _ moment: Int
  ) async throws {
    let gate = GatedBody(content, stopsAfter: moment)
    let client = makeClient(
      answering(
        HTTPResponse(fields: [.eTag: #""v1""#], body: HTTPResponse.Body(length: 20_000, source: gate))))
    let task = Task { [options] in try await client.download(map, to: target, options: options) }
    await gate.reached()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(gate.isCancelled)
    #expect(openDescriptors(in: folder) == 0)
    #expect(folder.names == (moment > 0 ? ["map.zip.partial", "map.zip.partial.json"] : []))
    let server = RangeServer(content)
    let file = try await HTTPClient.asking(server).download(map, to: target, options: options)
    #expect(file.resumedSize == Int64(moment))
    #expect(try Data(contentsOf: target) == content)
    #expect(openDescriptors(in: folder) == 0)
  }

  @Test func `cancelled while it waits for the next attempt`() async throws {
    let clock = TestClock()
    let options = options {
      $0.timeSource = clock.timeSource
      $0.backoff = .constant(.seconds(30))
    }
    let server = RangeServer(content, cuts: [7_000])
    let task = Task {
      try await HTTPClient.asking(server).download(map, to: target, options: options)
    }
    try await clock.waitForSleeper(until: .seconds(30))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(folder.names == ["map.zip.partial", "map.zip.partial.json"])
  }

  @Test func `waits grow while nothing new comes, and a server's wish counts`() {
    var patience = DownloadPatience(maximumFailures: 5, backoff: .exponential(jitter: .none))
    func waits(_ errors: [(APIError, Int64)]) -> [Duration?] {
      errors.map { patience.wait(after: $0, upTo: $1, now: Date()) }
    }
    let lost = APIError.transport(.connectionLost)
    let growing = waits([(lost, 0), (lost, 0), (lost, 10), (lost, 10), (lost, 0), (lost, 10), (lost, 10)])
    #expect(growing == [0.5, 1, 0.5, 1, 2, 4].map { .seconds($0) } + [nil])
    func busy(_ seconds: Int) -> APIError {
      .badStatus(CollectedResponse(status: 503, fields: [.retryAfter: "\(seconds)"]), message: nil)
    }
    let asked = waits([(busy(7), 20), (busy(61), 30)])
    #expect(asked == [.seconds(7), nil])
    let final = [APIError.notFound, .transport(.tls(.expired)), .transport(.malformed), .timedOut(.total)]
    let none = waits(zip(final, 100...).map { ($0, $1) })
    #expect(none == [nil, nil, nil, nil])
  }

  private func options(_ change: (inout DownloadOptions) -> Void) -> DownloadOptions {
    var options = options
    change(&options)
    return options
  }

  private func permissions(_ name: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: folder.path(name)))?[.posixPermissions] as? Int
  }
}

/// How many of this process's descriptors lead into a folder.
private func openDescriptors(in folder: TemporaryFolder) -> Int {
  let links = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
  return links.count { link in
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(link)"))?
      .hasPrefix(folder.url.path) ?? false
  }
}

/// A body that stands still after so many bytes.
private final class GatedBody: HTTPBodySource {
  private let content: Data
  private let limit: Int
  private let sent = Mutex(0)
  private let isOpen = AsyncStream<Void>.makeStream()
  private let arrival = AsyncStream<Void>.makeStream()
  private let cancelled = Mutex(false)
  let trailers: HTTPFields = [:]

  init(_ content: Data, stopsAfter limit: Int) {
    (self.content, self.limit) = (content, limit)
  }

  var isCancelled: Bool { cancelled.withLock { $0 } }

  /// Returns when all bytes up to the limit were taken.
  func reached() async {
    for await _ in arrival.stream {}
  }

  func next() async throws -> Data? {
    let start = sent.withLock { $0 }
    guard start < limit else {
      arrival.continuation.finish()
      for await _ in isOpen.stream {}
      throw CancellationError()
    }
    let count = min(1_000, limit - start)
    sent.withLock { $0 += count }
    return content.dropFirst(start).prefix(count)
  }

  func cancel() {
    cancelled.withLock { $0 = true }
    isOpen.continuation.finish()
  }
}
