import Foundation
import NetCore
import NetCurl
import Synchronization
import TestSupport
import Testing

/// Downloads from a server nobody here wrote, over a Unix socket, so that no port has to be found.
@Suite(.timeLimit(.minutes(1)), .enabled(if: ChildProcess.isInstalled("nginx"))) struct TransferNginxTests {
  private let folder: TemporaryFolder
  private let target: URL
  private let nginx: ChildProcess
  private let client: HTTPClient

  init() async throws {
    folder = try TemporaryFolder()
    target = folder.url.appending(path: "target")
    for name in ["www", "www/slow"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    }
    let configuration = try folder.write(
      """
      daemon off;
      master_process off;
      pid \(folder.path("pid"));
      error_log /dev/stdout notice;
      events {}
      http {
        log_format ranges '$status $http_range';
        access_log \(folder.path("access.log")) ranges;
        client_body_temp_path \(folder.path("body"));
        proxy_temp_path \(folder.path("proxy"));
        fastcgi_temp_path \(folder.path("fastcgi"));
        uwsgi_temp_path \(folder.path("uwsgi"));
        scgi_temp_path \(folder.path("scgi"));
        gzip on;
        gzip_types *;
        server {
          listen unix:\(folder.path("socket"));
          root \(folder.path("www"));
          location /slow { limit_rate 2m; alias \(folder.path("www")); }
        }
      }
      """, to: "nginx.conf")
    nginx = try ChildProcess(["nginx", "-c", configuration, "-e", "/dev/stdout"], output: .lines)
    // It speaks when its socket is open.
    _ = await nginx.nextLine()
    var transport = CurlTransport.Configuration()
    transport.unixSocket = folder.path("socket")
    client = HTTPClient(
      baseURL: try #require(URL(string: "http://localhost")), transport: try CurlTransport(transport))
  }

  @Test func `a download over a slow link tells how it goes, and goes on after it was left`() async throws {
    let content = try publish(3_000_000, seed: 1)
    let seen = Mutex<[TransferProgress]>([])
    let left = AsyncStream<Void>.makeStream()
    let task = Task { [client, target] in
      defer { left.continuation.finish() }
      return try await client.download(Endpoint<Void>(path: "slow/file"), to: target) { updates in
        for await progress in updates {
          seen.withLock { $0.append(progress) }
          if progress.completed > 1_500_000 { left.continuation.finish() }
        }
      }
    }
    for await _ in left.stream {}
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let file = try await client.download(Endpoint<Void>(path: "slow/file"), to: target) { updates in
      for await progress in updates { seen.withLock { $0.append(progress) } }
    }
    #expect(file.resumedSize > 1_000_000)
    #expect(try Data(contentsOf: target) == content)
    let updates = seen.withLock { $0 }
    #expect(updates.contains { $0.bytesPerSecond > 0 && $0.timeLeft != nil })
    #expect(updates.last?.completed == 3_000_000 && updates.last?.total == 3_000_000)
    #expect(try await statuses(2) == ["200 -", "206 bytes=\(file.resumedSize)-"])
  }

  @Test func `a file that changed comes anew`() async throws {
    _ = try publish(3_000_000, seed: 1)
    let hasEnded = Mutex(false)
    let task = Task { [client, target] in
      defer { hasEnded.withLock { $0 = true } }
      return try await client.download(Endpoint<Void>(path: "slow/file"), to: target)
    }
    while size(of: "target.partial") < 1_000_000, !hasEnded.withLock({ $0 }), !Task.isCancelled { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let content = try publish(2_500_000, seed: 2)
    let file = try await client.download(Endpoint<Void>(path: "slow/file"), to: target)
    #expect(file.resumedSize == 0)
    #expect(try Data(contentsOf: target) == content)
    #expect(try await statuses(2).last?.hasPrefix("200 bytes=") == true)
  }

  private func publish(_ size: Int, seed: UInt64) throws -> Data {
    var random = SeededGenerator(seed: seed)
    let content = Data((0..<size / 8).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } })
    try folder.write(content, to: "www/file")
    return content
  }

  /// Status and range of so many requests, sorted: nginx notes each when it has done with it, which may be late.
  private func statuses(_ count: Int) async throws -> [String] {
    while true {
      let lines = try String(contentsOfFile: folder.path("access.log"), encoding: .utf8).split(separator: "\n")
      if lines.count >= count { return lines.map(String.init).sorted() }
      await Task.yield()
      try Task.checkCancellation()
    }
  }

  private func size(of name: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: folder.path(name)))?[.size] as? Int ?? 0
  }
}
