import Foundation
import NetCore
import NetCurl
import Synchronization
import TestSupport
import Testing

/// HTTP/2 with servers nobody here wrote, over Unix sockets, so that no port has to be found.
@Suite(.timeLimit(.minutes(1)), .enabled(if: ChildProcess.isInstalled("nginx") && CurlTransport.capabilities.http2))
struct HTTP2Tests {
  /// An nginx with HTTP/2, with TLS or without, that numbers its connections in `X-Connection`.
  private final class Nginx: Sendable {
    private let directory: TemporaryFolder
    private let certificates: Certificates
    private let process: ChildProcess
    let socket: String
    let plainSocket: String

    init(requestsPerConnection: Int = 100_000, streams: Int = 128) async throws {
      directory = try TemporaryFolder()
      certificates = try await Certificates([.good])
      socket = directory.path("tls.sock")
      plainSocket = directory.path("plain.sock")
      try FileManager.default.createDirectory(atPath: directory.path("www"), withIntermediateDirectories: true)
      try directory.write("hello", to: "www/hello")
      try pattern(10_000_000).write(to: URL(filePath: directory.path("www/big")))
      let configuration = try directory.write(
        """
        daemon off;
        master_process off;
        pid \(directory.path("pid"));
        error_log /dev/stdout notice;
        events {}
        http {
          access_log off;
          client_body_temp_path \(directory.path("body"));
          proxy_temp_path \(directory.path("proxy"));
          fastcgi_temp_path \(directory.path("fastcgi"));
          uwsgi_temp_path \(directory.path("uwsgi"));
          scgi_temp_path \(directory.path("scgi"));
          client_max_body_size 0;
          keepalive_requests \(requestsPerConnection);
          http2_max_concurrent_streams \(streams);
          server {
            listen unix:\(socket) ssl http2;
            listen unix:\(plainSocket) http2;
            ssl_certificate \(certificates.certificate(.good));
            ssl_certificate_key \(certificates.key(.good));
            root \(directory.path("www"));
            add_header X-Connection $connection always;
            location /discard {
              access_log \(directory.path("taken.log"));
              proxy_pass http://unix:\(directory.path("back.sock"));
            }
          }
          server { listen unix:\(directory.path("back.sock")); return 200 "taken"; }
        }
        """, to: "nginx.conf")
      process = try ChildProcess(["nginx", "-c", configuration, "-e", "/dev/stdout"], output: .lines)
      // It speaks when its sockets are open.
      _ = await process.nextLine()
    }

    /// How many requests for `/discard` it has acted on.
    var requestsTaken: Int {
      get throws {
        try String(contentsOfFile: directory.path("taken.log"), encoding: .utf8).split(separator: "\n").count
      }
    }

    func transport(_ change: (inout CurlTransport.Configuration) -> Void = { _ in }) throws -> CurlTransport {
      try CurlTransport.with {
        $0.unixSocket = socket
        $0.tls.trustRoots = .file(path: certificates.authority)
        change(&$0)
      }
    }
  }

  private static func url(_ path: String, scheme: String = "https") throws -> URL {
    try #require(URL(string: "\(scheme)://localhost/\(path)"))
  }

  @Test func `many requests share one connection`() async throws {
    let nginx = try await Nginx()
    let transport = try nginx.transport()
    let connections = try await Self.requests(1_000, of: "hello", from: transport)
    #expect(connections.count == 1)
    let response = try await transport.whole(HTTPRequest(url: try Self.url("hello")))
    #expect(response.head.info.timings?.protocolName == "HTTP/2")
    #expect(response.head.info.timings?.remoteAddress == nil)
  }

  @Test func `without TLS by prior knowledge`() async throws {
    let nginx = try await Nginx()
    let transport = try nginx.transport {
      $0.unixSocket = nginx.plainSocket
      $0.httpVersions = .http2WithPriorKnowledge
    }
    let request = HTTPRequest(url: try Self.url("hello", scheme: "http"))
    // One after the other, and at the same time.
    for _ in 0..<3 { #expect(try await transport.whole(request).text == "hello") }
    try await withThrowingTaskGroup { group in
      for _ in 0..<50 {
        group.addTask {
          let response = try await transport.whole(request)
          #expect(response.text == "hello")
          #expect(response.head.info.timings?.protocolName == "HTTP/2")
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `a server that says goodbye now and then loses none`() async throws {
    let nginx = try await Nginx(requestsPerConnection: 100)
    let connections = try await Self.requests(500, of: "hello", from: try nginx.transport())
    #expect(connections.count > 1)
  }

  @Test func `a server that says goodbye now and then is never sent a POST twice`() async throws {
    let nginx = try await Nginx(requestsPerConnection: 100)
    let transport = try nginx.transport()
    let url = try Self.url("discard")
    let answered = await withTaskGroup { group in
      for _ in 0..<500 {
        group.addTask {
          do {
            return try await transport.whole(HTTPRequest(method: .post, url: url), .collected).text == "taken"
          } catch {
            #expect(error as? APIError == .transport(.connectionLost))
            #expect((error as? APIError)?.mayHaveReachedServer == true)
            return false
          }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    await transport.shutdown()
    #expect((answered...500).contains(try nginx.requestsTaken))
  }

  @Test func `a server that takes few requests at a time gets all of them`() async throws {
    let nginx = try await Nginx(streams: 5)
    let connections = try await Self.requests(300, of: "hello", from: try nginx.transport())
    #expect(connections.count < 64)
  }

  @Test(arguments: Delivery.allCases)
  func `large bodies share a connection whole`(_ delivery: Delivery) async throws {
    let nginx = try await Nginx()
    let transport = try nginx.transport()
    let url = try Self.url("big")
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          let response = try await transport.whole(HTTPRequest(url: url), delivery)
          #expect(response.body == pattern(10_000_000))
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `a reader that stops does not stop the others`() async throws {
    let nginx = try await Nginx()
    let transport = try nginx.transport()
    let stopped = try await transport.send(HTTPRequest(url: try Self.url("big")), context: RequestContext())
    var chunks = stopped.body.makeAsyncIterator()
    _ = try await chunks.next()
    #expect(try await transport.whole(HTTPRequest(url: try Self.url("big"))).body == pattern(10_000_000))
    #expect(try await Self.requests(100, of: "hello", from: transport).count == 1)
    stopped.body.discard()
    #expect(try await Self.requests(100, of: "hello", from: transport).count == 1)
  }

  @Test func `uploads of known and unknown length arrive whole`() async throws {
    let nginx = try await Nginx()
    let transport = try nginx.transport()
    for length in [nil, 5_000_000] as [Int64?] {
      let body = HTTPBody(length: length, isReplayable: true) {
        AsyncStream { continuation in
          for start in stride(from: 0, to: 5_000_000, by: 50_000) {
            continuation.yield(pattern(5_000_000)[start..<start + 50_000])
          }
          continuation.finish()
        }
      }
      let request = HTTPRequest(method: .post, url: try Self.url("discard"), body: body)
      let response = try await transport.whole(request, .collected)
      #expect(response.text == "taken")
      #expect(response.head.info.timings?.bytesSent == 5_000_000)
    }
  }

  @Test func `cancelling a request leaves its connection to the others`() async throws {
    let nginx = try await Nginx()
    let transport = try nginx.transport()
    let url = try Self.url("big")
    try await withThrowingTaskGroup { group in
      for number in 0..<40 {
        group.addTask {
          let task = Task { try await transport.whole(HTTPRequest(url: url)) }
          for _ in 0..<number { await Task.yield() }
          task.cancel()
          do {
            #expect(try await task.value.body == pattern(10_000_000))
          } catch {
            #expect(error is CancellationError)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await Self.requests(100, of: "hello", from: transport).count == 1)
  }

  /// Sends many requests at a time; the connections they were answered on.
  private static func requests(
    _ count: Int, _ method: HTTPRequest.Method = .get, of path: String, from transport: CurlTransport
  ) async throws -> Set<String> {
    let url = try url(path)
    return try await withThrowingTaskGroup { group in
      for _ in 0..<count {
        group.addTask {
          let response = try await transport.whole(HTTPRequest(method: method, url: url), .collected)
          #expect(response.head.status == .ok)
          return response.head.fields["X-Connection"] ?? ""
        }
      }
      return try await group.reduce(into: []) { $0.insert($1) }
    }
  }
}
