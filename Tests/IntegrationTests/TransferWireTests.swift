import Foundation
import NetCore
import NetCurl
import NetLoopback
import Synchronization
import TestSupport
import Testing

/// Transfers over real connections that break.
@Suite(.timeLimit(.minutes(1))) struct TransferWireTests {
  private let folder: TemporaryFolder
  private let target: URL
  private let content: Data

  init() throws {
    folder = try TemporaryFolder()
    target = folder.url.appending(path: "map.zip")
    var random = SeededGenerator(seed: 7)
    content = Data((0..<187_500).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } })
  }

  /// Three downloads, each cut 50 times: most cuts are met by the run itself, some by the next one.
  @Test(arguments: [1, 2, 3]) func `cut at 50 random places, it arrives as it was`(_ seed: UInt64) async throws {
    let cuts = Cuts(seed: seed, count: 50)
    let file = RangedFile(content)
    let server = try await LoopbackServer.start { request in cuts.cut(file.answer(request)) }
    var options = DownloadOptions()
    options.backoff = .none
    options.maximumFailures = 2
    options.sha256 = try await sha256(of: content)
    let client = makeClient(server)
    var (runs, resumed) = (0, Int64(0))
    while true {
      runs += 1
      do {
        resumed = try await client.download(
          Endpoint<Void>(path: "map"), to: target, options: options
        ).resumedSize
        break
      } catch let error as APIError {
        guard case .transport = error.kind, runs < 60 else { throw error }
      }
    }
    #expect(cuts.made == 50)
    #expect(runs > 1 ? resumed > 0 : true)
    #expect(try Data(contentsOf: target) == content)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["map.zip"])
    await server.stop()
  }

  @Test(arguments: [true, false]) func `an upload's progress ends at the total`(_ isFile: Bool) async throws {
    let server = try await LoopbackServer.start { request in
      .text("\(try await request.body.collect(upTo: 100_000_000).count)")
    }
    let path = try folder.write(content, to: "upload")
    let body = isFile ? try HTTPBody(file: URL(filePath: path)) : HTTPBody(content)
    let seen = Mutex<[TransferProgress]>([])
    let answer: String = try await makeClient(server).upload(
      Endpoint<String>(.put, path: "map", body: .stream(body, contentType: nil))
    ) { updates in
      for await progress in updates { seen.withLock { $0.append(progress) } }
    }
    #expect(answer == "1500000")
    let updates = seen.withLock { $0 }
    #expect(zip(updates, updates.dropFirst()).allSatisfy { $0.completed <= $1.completed })
    #expect(updates.first?.total == 1_500_000)
    #expect(updates.last?.completed == 1_500_000 && updates.last?.fraction == 1)
    await server.stop()
  }

  @Test func `killed in the middle, the target is untouched, and the next run goes on`() async throws {
    try folder.write("old", to: "map.zip")
    let file = RangedFile(content)
    let ranges = Mutex<[String?]>([])
    let server = try await LoopbackServer.start { [content] request in
      ranges.withLock { $0.append(request.fields[.range]) }
      guard !request.fields.contains(.range) else { return file.answer(request) }
      return LoopbackResponse(
        fields: [.eTag: file.tag],
        body: HTTPBody(length: Int64(content.count), isReplayable: false) { Stalling(first: content.prefix(1_300_000)) }
      )
    }
    let partial = folder.path("map.zip.partial")
    let arguments = ["download", server.baseURL.appending(path: "map").absoluteString, "-o", target.path]
    let killed = try await Brewtips.run(arguments) { process in
      while size(of: partial) < 1_000_000, !Task.isCancelled { await Task.yield() }
      process.send(SIGKILL)
    }
    #expect(killed.status == 128 + SIGKILL)
    #expect(try Data(contentsOf: target) == Data("old".utf8))
    let next = try await Brewtips.run(arguments)
    #expect(next.status == 0 && next.output == target.path + "\n" && next.errors.isEmpty, "\(next)")
    #expect(try Data(contentsOf: target) == content)
    let asked = try #require(ranges.withLock { $0 }.last ?? nil)
    #expect(try #require(Int(asked.dropFirst(6).dropLast())) >= 1_000_000)
    await server.stop()
  }

  @Test func `the app uploads what it has downloaded`() async throws {
    let file = RangedFile(content)
    let received = Mutex(Data())
    let server = try await LoopbackServer.start { request in
      guard request.method == .put else { return file.answer(request) }
      let bytes = try await request.body.collect(upTo: 100_000_000)
      received.withLock { $0 = bytes }
      return .text("thanks", status: .created)
    }
    let url = server.baseURL.appending(path: "map.zip").absoluteString
    let down = try await Brewtips.run(
      ["download", url, "-o", folder.url.path, "--sha256", try await sha256(of: content), "--json"])
    #expect(down.output == #"{"bytes":1500000,"path":"\#(target.path)"}"# + "\n", "\(down)")
    let up = try await Brewtips.run(["upload", target.path, url])
    #expect(up.output == "thanks\n" && up.errors.isEmpty, "\(up)")
    #expect(received.withLock { $0 } == content)
    let wrong = try await Brewtips.run([
      "download", url, "-o", target.path, "--sha256", String(repeating: "0", count: 64),
    ])
    #expect(wrong.status == 65 && wrong.errors.contains("damaged"), "\(wrong)")
    let missing = try await Brewtips.run(["upload", folder.path("none"), url])
    #expect(missing.status == 64, "\(missing)")
    await server.stop()
  }

  private func makeClient(_ server: LoopbackServer) -> HTTPClient {
    HTTPClient(baseURL: server.baseURL, transport: CurlTransport())
  }

  /// What a program says that nobody here wrote.
  private func sha256(of bytes: Data) async throws -> String {
    let path = try folder.write(bytes, to: "digest")
    defer { try? FileManager.default.removeItem(atPath: path) }
    let outcome = try await ChildProcess.run(["sha256sum", path])
    return String(String(decoding: outcome.output, as: UTF8.self).prefix(64))
  }

  private func size(of path: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
  }
}

/// A file as a server with ranges gives it.
private struct RangedFile: Sendable {
  let content: Data
  let tag = #""v1""#

  init(_ content: Data) {
    self.content = content
  }

  func answer(_ request: LoopbackRequest) -> LoopbackResponse {
    var response = LoopbackResponse(fields: [.eTag: tag], body: HTTPBody(content))
    guard request.fields[.ifRange] == tag, let range = request.fields[.range],
      let first = Int(range.dropFirst(6).dropLast()), first < content.count
    else { return response }
    response.status = .partialContent
    response.fields[.contentRange] = "bytes \(first)-\(content.count - 1)/\(content.count)"
    response.body = HTTPBody(content.dropFirst(first))
    return response
  }
}

/// Breaks so many responses, at places and in ways that follow from a seed.
private final class Cuts: Sendable {
  private let state: Mutex<(random: SeededGenerator, rest: Int)>
  private let count: Int

  init(seed: UInt64, count: Int) {
    state = Mutex((SeededGenerator(seed: seed), count))
    self.count = count
  }

  var made: Int { count - state.withLock { $0.rest } }

  func cut(_ response: LoopbackResponse) -> LoopbackResponse {
    state.withLock { state in
      guard state.rest > 0 else { return response }
      state.rest -= 1
      let ending: LoopbackResponse.Fault.Ending = Bool.random(using: &state.random) ? .close : .reset
      switch Int.random(in: 0..<10, using: &state.random) {
      case 0: return response.breaking(.beforeHead, by: ending)
      case 1: return response.breaking(.inHead, by: ending)
      default: return response.breaking(.inBody(after: .random(in: 0..<40_000, using: &state.random)), by: ending)
      }
    }
  }
}

/// Some bytes, and then nothing more.
private struct Stalling: AsyncSequence {
  let first: Data

  struct AsyncIterator: AsyncIteratorProtocol {
    var rest: Data?

    mutating func next() async throws -> Data? {
      defer { rest = nil }
      if let rest { return rest }
      try await Task.sleep(for: .seconds(3_600))
      return nil
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: first) }
}
