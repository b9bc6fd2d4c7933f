import Foundation
import NetCache
import NetCore
import NetCurl
import NetLoopback
import Synchronization
import TestSupport
import Testing

/// A cache over the real transport, and servers over real sockets.
@Suite(.timeLimit(.minutes(1))) struct CacheIntegrationTests {
  private func client(
    _ base: String, _ cache: HTTPCache, _ change: (inout CurlTransport.Configuration) -> Void = { _ in }
  )
    throws -> HTTPClient
  {
    var settings = CurlTransport.Configuration()
    change(&settings)
    var configuration = HTTPClient.Configuration(baseURL: try #require(URL(string: base)))
    configuration.cache = cache
    return HTTPClient(configuration, transport: try CurlTransport(settings))
  }

  @Test func `a response is fetched, used, confirmed, changed, and used when the server is gone`() async throws {
    let count = Mutex(0)
    let version = Mutex("one")
    let server = try await LoopbackServer.start { request in
      count.withLock { $0 += 1 }
      let text = version.withLock { $0 }
      if request.method == .put {
        version.withLock { $0 = "two" }
        return LoopbackResponse(status: .noContent)
      }
      if request.fields[.ifNoneMatch] == "\"\(text)\"" { return LoopbackResponse(status: .notModified) }
      var response = LoopbackResponse.text(text)
      response.fields[.cacheControl] = request.path == "/short" ? "max-age=0" : "max-age=60"
      response.fields[.eTag] = "\"\(text)\""
      return response
    }
    let client = try client("http://127.0.0.1:\(server.port)", HTTPCache())
    let long = Endpoint<String>(path: "long")
    #expect(try await client.reply(to: long).info.cache == .miss)
    #expect(try await client.reply(to: long).info.attempts == 0)
    let short = Endpoint<String>(path: "short")
    #expect(try await client.send(short) == "one")
    #expect(try await client.reply(to: short).info.cache == .revalidated)
    #expect(count.withLock { $0 } == 3)
    try await client.send(Endpoint<Void>(.put, path: "long"))
    #expect(try await client.send(long) == "two")
    #expect(try await client.send(short) == "two")
    await server.stop()
    let stale = try await client.reply(to: short)
    #expect(stale.value == "two")
    guard case .staleHit(_, .disconnected)? = stale.info.cache else {
      Issue.record("\(String(describing: stale.info.cache))")
      return
    }
  }

  @Test func `a large body streams into the store and out of it`() async throws {
    let size = 5_000_000
    let server = try await LoopbackServer.start { _ in
      var response = LoopbackResponse.bytes(Data(repeating: 7, count: size))
      response.fields[.cacheControl] = "max-age=60"
      return response
    }
    let cache = HTTPCache()
    let client = try client("http://127.0.0.1:\(server.port)", cache)
    for _ in 0..<2 {
      let response = try await client.open(Endpoint<Data>(path: "big"))
      var count = 0
      for try await chunk in response.body { count += chunk.count }
      #expect(count == size)
    }
    #expect(try await cache.info().entries == 1)
    await server.stop()
  }

  @Test func `half a body over the wire is not stored`() async throws {
    let server = try await LoopbackServer.start { _ in
      var response = LoopbackResponse.bytes(Data(repeating: 7, count: 100_000))
      response.fields[.cacheControl] = "max-age=60"
      return response.breaking(.inBody(after: 50_000), by: .close)
    }
    let cache = HTTPCache()
    let client = try client("http://127.0.0.1:\(server.port)", cache)
    await #expect(throws: APIError.self) { try await client.send(Endpoint<Data>(path: "big")) }
    let response = try await client.open(Endpoint<Data>(path: "big"))
    await #expect(throws: APIError.self) { try await response.body.collect(upTo: 1_000_000) }
    #expect(try await cache.info().entries == 0)
    await server.stop()
  }

  @Test(.enabled(if: ChildProcess.isInstalled("nginx")))
  func `with a server that nobody here wrote`() async throws {
    let nginx = try await Nginx()
    let cache = HTTPCache()
    let client = try client("http://localhost", cache) { $0.unixSocket = nginx.socket }

    // A file with Expires, Cache-Control, ETag and Last-Modified.
    #expect(try await client.reply(to: Endpoint<String>(path: "fresh/file")).info.cache == .miss)
    #expect(try await client.reply(to: Endpoint<String>(path: "fresh/file")).info.attempts == 0)

    // One that is stale at once: nginx compares the tag, and the date when there is no tag.
    for path: RequestPath in ["stale/file", "dated/file"] {
      #expect(try await client.reply(to: Endpoint<String>(path: path)).info.cache == .miss)
      let again = try await client.reply(to: Endpoint<String>(path: path))
      #expect(again.info.cache == .revalidated && again.value == "content" && again.status == .ok)
    }
    try nginx.write("changed content", to: "stale/file")
    let changed = try await client.reply(to: Endpoint<String>(path: "stale/file"))
    #expect(changed.info.cache == .miss && changed.value == "changed content")

    // Kept by heuristic, since its file is old; not kept; a redirect; an error; compressed, with Vary and a weak tag.
    #expect(try await client.reply(to: Endpoint<String>(path: "old/file")).info.cache == .miss)
    #expect(try await client.reply(to: Endpoint<String>(path: "old/file")).info.attempts == 0)
    for _ in 0..<2 { #expect(try await client.reply(to: Endpoint<String>(path: "never/file")).info.cache == .miss) }
    for expected in [CacheOutcome.miss, nil] {
      var moved = Endpoint<String>(path: "moved")
      moved.redirects = .never
      let response = try await client.open(moved)
      #expect(response.status == 301)
      if let expected { #expect(response.info.cache == expected) } else { #expect(response.info.attempts == 0) }
      _ = try await response.body.collect(upTo: 10_000)
    }
    var text = Endpoint<String>(path: "zipped/file.txt")
    #expect(try await client.reply(to: text).value.utf8.count == 5_000)
    let zipped = try await client.reply(to: text)
    #expect(zipped.info.cache == .revalidated && zipped.value.utf8.count == 5_000)

    // A part of a stored file, and of one that is not.
    text = Endpoint<String>(path: "fresh/file")
    text.fields[.range] = "bytes=3-"
    let part = try await client.reply(to: text)
    #expect(part.status == .partialContent && part.value == "tent" && part.info.attempts == 0)
    text.path = "never/file"
    #expect(try await client.reply(to: text).value == "tent")
    #expect(try await client.send(Endpoint<String>(path: "never/file")) == "content")
  }
}

/// An nginx that serves files with the fields a test needs, over a Unix socket, so that no port has to be found.
private final class Nginx: Sendable {
  private let directory: TemporaryFolder
  private let process: ChildProcess
  let socket: String

  init() async throws {
    let directory = try TemporaryFolder()
    self.directory = directory
    socket = directory.path("plain.sock")
    for folder in ["fresh", "stale", "dated", "old", "never", "zipped"] {
      try FileManager.default.createDirectory(
        atPath: directory.path("www/\(folder)"), withIntermediateDirectories: true)
      try directory.write("content", to: "www/\(folder)/file")
    }
    try directory.write(String(repeating: "content\n", count: 625), to: "www/zipped/file.txt")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -864_000)], ofItemAtPath: directory.path("www/old/file"))
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(directory.path($0));" }.joined(separator: " ")
    let configuration = try directory.write(
      """
      daemon off;
      master_process off;
      pid \(directory.path("pid"));
      error_log /dev/stdout notice;
      events {}
      http {
        access_log off;
        \(temporary)
        types { text/plain txt; }
        gzip_types text/plain;
        server {
          listen unix:\(socket);
          root \(directory.path("www"));
          location /fresh { expires 1h; }
          location /stale { expires -1; }
          location /dated { expires -1; etag off; }
          location /old { }
          location /never { add_header Cache-Control no-store; etag off; if_modified_since off; }
          location /zipped { gzip on; gzip_vary on; gzip_min_length 1; expires -1; }
          location /moved { expires 1h; return 301 /fresh/file; }
        }
      }
      """, to: "nginx.conf")
    process = try ChildProcess(["nginx", "-c", configuration, "-e", "/dev/stdout"], output: .lines)
    // It speaks when its sockets are open.
    _ = await process.nextLine()
  }

  func write(_ text: String, to file: String) throws {
    try directory.write(text, to: "www/\(file)")
  }
}
