#if os(Linux)
import Foundation
import NetCore
import NetLoopback
import Synchronization
import TestSupport
import Testing

/// How the built app reaches its server: certificates, pins, proxies, and another try when the server is busy.
@Suite(.timeLimit(.minutes(1))) struct BrewtipsConnectionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test(.enabled(if: ChildProcess.isInstalled("openssl")))
  func `a server's certificate, the client's own, and a pin`() async throws {
    try await makeCertificate("server", "subjectAltName=IP:127.0.0.1")
    try await makeCertificate("client", "extendedKeyUsage=clientAuth")
    let server = try ChildProcess(
      [
        "python3", folder.write(Self.server, to: "server.py"), path("server.pem"), path("server.key"),
        path("client.pem"),
      ],
      output: .lines)
    let port = try #require(await server.nextLine(), "the server did not start")
    let base = ["--strict", "--base-url", "https://127.0.0.1:\(port)", "--ca-file", path("server.pem")]
    let identity = ["--cert", path("client.pem"), "--key", path("client.key")]
    let pin = try await pin("server")

    let run = try await Brewtips.run(base + identity + ["--pin", pin])
    #expect(run.output == "over TLS\n", "\(run.errors)")
    let wrongPin = try await Brewtips.run(
      base + identity + ["--pin", "sha256/" + String(repeating: "A", count: 43) + "="])
    #expect(wrongPin.status == 69)
    #expect(wrongPin.errors.hasPrefix("brewtips: A secure connection to the server could not be made.\n"))
    let untrusted = try await Brewtips.run(Array(base.prefix(3)) + identity)
    #expect(untrusted.status == 69)
    let anonymous = try await Brewtips.run(base)
    #expect(anonymous.status == 69)
  }

  @Test func `a proxy takes the request`() async throws {
    try await LoopbackServer.with(handler: { request in
      #expect(request.target == "http://brewtips.invalid/tips/today")
      return .text(#"{"tip": "by proxy"}"#)
    }) { proxy in
      let run = try await Brewtips.run(
        ["--strict", "--base-url", "http://brewtips.invalid", "--proxy", "\(proxy.baseURL)"])
      #expect(run.output == "by proxy\n", "\(run.errors)")
    }
  }

  @Test func `a busy server is asked again, and the log tells the story`() async throws {
    let count = Mutex(0)
    try await LoopbackServer.with(handler: { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return number < 3
        ? LoopbackResponse(status: 503, fields: [.retryAfter: "0"]) : .text(#"{"tip": "third time"}"#)
    }) { server in
      let run = try await Brewtips.run(["--verbose", "--base-url", "\(server.baseURL)"])
      #expect(run.output == "third time\n")
      let story = run.errors.split(separator: "\n").filter { $0.contains("← ") || $0.contains("↻ ") }
      try #require(story.count == 5, "\(run.errors)")
      #expect(story[0].contains("← 503 Service Unavailable in "))
      #expect(story[1].hasSuffix("↻ again in 0.0 ms: 503 Service Unavailable"))
      #expect(story[4].contains("← 200 OK in "))
    }
  }

  @Test func `a token that is refused once is renewed, and the log tells the story without it`() async throws {
    let tokens = Mutex(0)
    try await LoopbackServer.with(handler: { request in
      guard request.target != "/token" else {
        #expect(request.fields[.authorization] == "Basic " + Data("brewer:S3CRET".utf8).base64EncodedString())
        let number = tokens.withLock { count in
          count += 1
          return count
        }
        return .text(#"{"access_token": "TOKEN-\#(number)", "token_type": "Bearer"}"#)
      }
      return request.fields[.authorization] == "Bearer TOKEN-2"
        ? .text(#"{"tip": "welcome back"}"#)
        : LoopbackResponse(status: 401, fields: [.wwwAuthenticate: "Bearer error=\"invalid_token\""])
    }) { server in
      let environment = [
        "BREWTIPS_TOKEN_URL": "\(server.baseURL)/token", "BREWTIPS_CLIENT_ID": "brewer",
        "BREWTIPS_CLIENT_SECRET": "S3CRET",
      ]
      let run = try await Brewtips.run(
        ["--verbose", "--trace", "--base-url", "\(server.baseURL)"], environment: environment)
      #expect(run.output == "welcome back\n", "\(run.errors)")
      let story = run.errors.split(separator: "\n").filter { line in
        ["← ", "⚿ "].contains { line.contains($0) }
      }
      try #require(story.count == 4, "\(run.errors)")
      #expect(story[0].contains("⚿ waited "))
      #expect(story[1].contains("← 401 Unauthorized in "))
      #expect(story[2].contains("⚿ credentials refused, renewed in "))
      #expect(story[3].contains("← 200 OK in "))
      #expect(run.errors.contains("\n  new credentials"))
      #expect(!["TOKEN-", "S3CRET"].contains { run.errors.contains($0) })
    }
  }

  @Test(arguments: ["BREWTIPS_TOKEN_URL", "BREWTIPS_CLIENT_ID", "BREWTIPS_CLIENT_SECRET"])
  func `a credential that is not whole names what is missing`(missing: String) async throws {
    var environment = [
      "BREWTIPS_TOKEN_URL": "http://127.0.0.1:9/token", "BREWTIPS_CLIENT_ID": "brewer",
      "BREWTIPS_CLIENT_SECRET": "S3CRET",
    ]
    environment[missing] = ""
    let run = try await Brewtips.run(["--strict"], environment: environment)
    #expect(run.status == 78)
    #expect(run.errors.hasPrefix("brewtips: \(missing) is missing: set it beside BREWTIPS_"))
    #expect(!run.errors.contains("S3CRET"))
  }

  private func path(_ name: String) -> String { folder.path(name) }

  private func makeCertificate(_ name: String, _ details: String) async throws {
    let made = try await ChildProcess.run([
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
      "-subj",
      "/CN=\(name)", "-addext", details, "-keyout", path("\(name).key"), "-out", path("\(name).pem"),
    ])
    try #require(made.status == 0, "\(made.errors)")
  }

  private func pin(_ name: String) async throws -> String {
    let script =
      "openssl x509 -in \"$0\" -pubkey -noout | openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary"
    return "sha256/"
      + (try await ChildProcess.run(["sh", "-c", script, path("\(name).pem")])).output.base64EncodedString()
  }

  private static let server = """
    import http.server, ssl, sys

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = b'{"tip": "over TLS"}'
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, request, address):
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(sys.argv[3])
    server = Server(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(server.server_port, flush=True)
    server.serve_forever()
    """
}
#endif
