import Foundation
import TestSupport
import Testing

/// A server in Python, so that the app is tested against code that nobody here wrote in Swift.
struct PythonServer: Sendable {
  /// Where it listens.
  let url: String
  private let process: ChildProcess

  /// Runs `body` while `Tools/tip-server.py` runs.
  static func tips(_ body: (PythonServer) async throws -> Void) async throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    try await with([root.appending(path: "Tools/tip-server.py").path], body)
  }

  /// Runs `body` while a server runs that fails as the path of its URL says; see ``script``.
  static func faulty(_ body: (PythonServer) async throws -> Void) async throws {
    try await with(["-c", script], body)
  }

  /// The next line of what the server prints.
  func nextLine() async throws -> String {
    try #require(await process.nextLine(), "the server printed nothing more")
  }

  private static func with(_ arguments: [String], _ body: (PythonServer) async throws -> Void) async throws {
    let process = try ChildProcess(["python3", "-u"] + arguments, output: .lines)
    let url = try #require(await process.nextLine(), "the server did not start")
    try await body(PythonServer(url: url, process: process))
    process.send(SIGTERM)
    #expect([0, 128 + SIGTERM].contains(await process.status()))
  }

  /// By the path: `/status/N` is that status, `/body/TEXT` is 200 with TEXT, percent-decoded, `/cut` is half a body, `/noise`
  /// is not HTTP, `/late` is 404 after 10 seconds, `/cache/CONTROL` is a tip
  /// with that `Cache-Control`, percent-encoded. The path of each request is printed when it has come.
  private static let script = #"""
    import http.server, time, urllib.parse

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            print(self.path)
            kind, _, rest = self.path[1:].partition("/")
            argument = rest.partition("/")[0]
            if kind == "late":
                time.sleep(10)
                self.reply(404, b"")
            elif kind == "status":
                self.reply(int(argument), b"")
            elif kind == "body":
                self.reply(200, urllib.parse.unquote_to_bytes(argument))
            elif kind == "cache":
                self.reply(200, b'{"tip": "Weigh the water."}', control=urllib.parse.unquote(argument))
            elif kind == "cut":
                self.reply(200, b'{"tip": ', 100)
            elif kind == "noise":
                self.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n")

        def reply(self, status, body, length=None, control=None):
            self.send_response(status)
            if control:
                self.send_header("Cache-Control", control)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(length or len(body)))
            self.send_header("Set-Cookie", "session=COOKIE-SECRET")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True

    server = Server(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}")
    server.serve_forever()
    """#
}
