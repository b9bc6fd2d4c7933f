import BrewTipsBackend
import Foundation
import NetCore
import TestSupport
import Testing

@testable import BrewTipsCLI

/// The built app with its own server: embedded, and served.
@Suite(.timeLimit(.minutes(1))) struct BackendAppTests {
  // MARK: - Embedded

  @Test(arguments: [[], ["today"], ["--strict"], ["--timeout", "20"]])
  func `without any configuration there is a tip, and nothing else`(arguments: [String]) async throws {
    let run = try await Brewtips.run(arguments)
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    #expect(run.output.hasSuffix(".\n"))
    #expect(run.output.split(separator: "\n").count == 1)
  }

  @Test func `the tip came over the network`() async throws {
    let run = try await Brewtips.run(["--json", "--verbose"])
    #expect(run.output.hasPrefix(#"{"age_seconds":0,"source":"network","tip":""#))
    #expect(run.errors.contains("[1 GetTipOfTheDay] → GET http://127.0.0.1:"))
    #expect(run.errors.contains("[1 GetTipOfTheDay] ← 200 OK in "))
  }

  @Test func `users last from run to run`() async throws {
    try await StateHome.with { home in
      let add = try await Brewtips.run(["users", "add", "Ada", "ada@example.com"], environment: home.environment)
      #expect(add.output == "1  Ada <ada@example.com>\n")
      let list = try await Brewtips.run(["users", "list"], environment: home.environment)
      #expect(list.output == add.output)
      let get = try await Brewtips.run(["users", "get", "9"], environment: home.environment)
      #expect(get.status == 69)
      #expect(get.errors.contains("brewtips: There is no such user.\n  GET http://127.0.0.1:"))
    }
  }

  @Test func `says in the server's words why a user cannot be added`() async throws {
    let run = try await Brewtips.run(["users", "add", "Ada", "nonsense"])
    #expect(run.status == 69)
    #expect(run.output.isEmpty)
    #expect(run.errors.hasPrefix("brewtips: The e-mail address is not one such as ada@example.com.\n  POST http://"))
  }

  @Test func `many at the same time each do their work`() async throws {
    try await StateHome.with { home in
      try await withThrowingTaskGroup { group in
        for number in 1...6 {
          group.addTask {
            let arguments = number % 2 == 0 ? [] : ["users", "add", "User \(number)", "a@b"]
            let run = try await Brewtips.run(arguments, environment: home.environment)
            #expect(run.status == 0)
            #expect(!run.output.isEmpty)
            let lines = run.errors.split(separator: "\n")
            #expect(lines.count <= 1)
            #expect(lines.allSatisfy { $0.contains(" is taken: this run listens on ") }, "\(run.errors)")
          }
        }
        try await group.waitForAll()
      }
      let list = try await Brewtips.run(["users", "list"], environment: home.environment)
      #expect(list.output.split(separator: "\n").map { $0.prefix(1) } == ["1", "2", "3"])
    }
  }

  @Test(arguments: [[], ["users", "add", "Ada", "ada@example.com"]])
  func `a state folder that cannot be written is one line, and no failure`(arguments: [String]) async throws {
    let nowhere = ["HOME": "/dev/null/x", "XDG_STATE_HOME": "/dev/null/x"]
    let run = try await Brewtips.run(arguments, environment: nowhere)
    let folder = Backend.stateFolder(environment: nowhere)
    #expect(run.status == 0)
    #expect(!run.output.isEmpty)
    #expect(
      run.errors
        == "brewtips: cannot keep data in \(folder): Not a directory. What is added is lost when this run ends\n")
  }

  @Test func `a disk that takes no more is one line, and no failure`() async throws {
    try await StateHome.with { home in
      // No file may pass 512 bytes (which `sh` counts as 1), and the state has more: an end that needs no disk of its own.
      let users = (1...20).map { #"{"email": "user@example.com", "id": \#($0), "name": "User"}"# }
      let before = #"{"lastID": 20, "users": [\#(users.joined(separator: ","))], "version": 1}"#
      try home.write(before)
      let run = try await Brewtips.run(
        script: """
          export HOME='\(home.path)' XDG_STATE_HOME='\(home.path)/state'
          trap '' XFSZ
          ulimit -f 1
          exec "$0" --no-cache
          """)
      #expect(run.status == 0)
      #expect(run.output.hasSuffix(".\n"))
      #expect(
        run.errors
          == "brewtips: cannot keep data in \(home.folder): File too large. What is added is lost when this run ends\n")
      #expect(try home.content() == before)
      #expect(!FileManager.default.fileExists(atPath: home.file + ".new"))
    }
  }

  @Test func `a damaged state file is one line, and no failure`() async throws {
    try await StateHome.with { home in
      try home.write(#"{"lastID": 3, "us"#)
      let run = try await Brewtips.run([], environment: home.environment)
      #expect(run.status == 0)
      #expect(run.output.hasSuffix(".\n"))
      #expect(run.errors.hasPrefix("brewtips: \(home.file) is damaged: it is called state.damaged-"))
      #expect(run.errors.split(separator: "\n").count == 1)
      let next = try await Brewtips.run([], environment: home.environment)
      #expect(!next.errors.contains("damaged"))
    }
  }

  // MARK: - Served

  @Test(arguments: [SIGTERM, SIGINT])
  func `serve prints its URL, logs requests, and ends well when it is told to`(signal: Int32) async throws {
    try await StateHome.with { home in
      let run = try await serve(home) { url, app in
        let ask = Asking(url)
        let (tip, nothing) = (try await ask(.get, "/tips/today?token=SECRET"), try await ask(.get, "/nothing"))
        #expect(tip.status == .ok)
        #expect(nothing.status == .notFound)
        app.send(signal)
      }
      #expect(run.status == 0)
      let lines = run.errors.split(separator: "\n")
      try #require(lines.count == 2, "\(run.errors)")
      let first = lines[0].wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ GET /tips/today 200 \d+\.\d ms/#)
      #expect(first != nil)
      #expect(lines[1].contains(" GET /nothing 404 "))
    }
  }

  @Test func `serve listens where it did before`() async throws {
    try await StateHome.with { home in
      var urls: [URL] = []
      var errors = ""
      for _ in 1...2 {
        errors = try await serve(home) { url, app in
          urls.append(url)
          app.send(SIGTERM)
        }.errors
      }
      #expect(urls[0] == urls[1] || errors.contains(" is taken"))  // by anybody, between the runs
    }
  }

  @Test func `a port that is taken is said, and an error when it was asked for`() async throws {
    try await StateHome.with { home in
      _ = try await serve(home) { url, app in
        let port = try #require(url.port)
        let tip = try await Brewtips.run([], environment: home.environment)
        #expect(tip.status == 0)
        #expect(tip.errors.hasPrefix("brewtips: port \(port) is taken: this run listens on "))

        let second = try await serve(home) { other, app in
          #expect(other != url)
          app.send(SIGTERM)
        }
        #expect(second.errors.hasPrefix("brewtips: port \(port) is taken: this run listens on "))

        let wanted = try await Brewtips.run(["serve", "--port", "\(port)"], environment: home.environment)
        #expect(wanted.status == 69)
        #expect(wanted.output.isEmpty)
        #expect(wanted.errors == "brewtips: Port \(port) is in use: stop what listens there, or take another port.\n")
        app.send(SIGTERM)
      }
    }
  }

  @Test func `the app is a client of what it serves`() async throws {
    try await StateHome.with { home in
      let run = try await serve(home, ["--port", "0"]) { url, app in
        let add = try await Brewtips.run(["users", "add", "Ada", "ada@example.com", "--base-url", "\(url)"])
        #expect(add.output == "1  Ada <ada@example.com>\n")
        app.send(SIGTERM)
      }
      #expect(run.errors.contains(" POST /users 201 "))
    }
    let none = try await Brewtips.run(script: #"exec "$0" serve --port 0 >&-"#)
    #expect(none.status == 73)
    #expect(none.errors == "brewtips: cannot write to standard output: Bad file descriptor\n")
  }

  /// Runs `serve` with what is given, hands the URL that it prints to `body`, and waits for its end.
  private func serve(
    _ home: StateHome, _ arguments: [String] = [], _ body: (URL, ChildProcess) async throws -> Void
  ) async throws -> Brewtips.Outcome {
    try await Brewtips.run(["serve"] + arguments, environment: home.environment, output: .lines) { app in
      let line = try #require(await app.nextLine(), "the server did not start")
      let url = line.wholeMatch(of: #/http://127\.0\.0\.1:\d+/#)
      try #require(url != nil)
      try await body(#require(URL(string: line)), app)
    }
  }

  // MARK: - The command line

  @Test func `understands serve`() throws {
    var settings = Settings()
    #expect(try Invocation(parsing: ["serve"], environment: [:]) == .command(.serve, settings))
    settings.port = 8_080
    for arguments in [["serve", "--port", "8080"], ["--port=8080", "serve"]] {
      #expect(try Invocation(parsing: arguments, environment: [:]) == .command(.serve, settings))
    }
  }

  private static let refused: [(String, String)] = [
    ("sevre", "unknown command sevre: did you mean serve?"),
    ("serve now", "unexpected argument now: write brewtips serve"),
    ("--port 80", "--port is for serve: write brewtips serve --port PORT"),
    ("serve --port", "--port needs a value: write --port PORT"),
    (
      "serve --base-url http://127.0.0.1",
      "serve takes no --base-url, since it is the server itself: write brewtips serve --port PORT"
    ),
  ]

  @Test(arguments: refused)
  func `refuses what means nothing to serve`(line: String, complaint: String) {
    #expect(throws: Failure.usage(complaint)) {
      try Invocation(parsing: line.split(separator: " ").map(String.init), environment: [:])
    }
  }

  @Test(arguments: ["-1", "65536", "", "http", "80x", "+80", "8e1", "99999999999999999999", "٨٠"])
  func `a port is a number from 0 to 65535`(port: String) {
    #expect(throws: Failure.usage("--port takes a number from 1 to 65535, or 0 for any port that is free")) {
      try Invocation(parsing: ["serve", "--port=\(port)"], environment: [:])
    }
  }
}
