import BrewTipsBackend
import Foundation
import NetCore
import Synchronization
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
        == "brewtips: cannot keep data in \(folder): could not make the folder \(folder): Not a directory. "
        + "What is added is lost when this run ends\n")
  }

  /// Runs the app where it cannot write: `trouble` is a line of a shell script, in which `$RUN` makes a folder's permissions
  /// hold for root too.
  private func run(_ home: StateHome, trouble: String, _ arguments: String) async throws -> Brewtips.Outcome {
    try await Brewtips.run(
      script: """
        export HOME='\(home.path)' XDG_STATE_HOME='\(home.path)/state'
        RUN=; if [ "$(id -u)" = 0 ]; then RUN='setpriv --bounding-set=-dac_override,-dac_read_search'; fi
        \(trouble)
        exec $RUN "$0" --no-cache \(arguments)
        """)
  }

  /// Files that may have no more than 512 bytes, which `sh` counts as 1: a full disk that needs no disk of its own.
  private static let fullDisk = "trap '' XFSZ; ulimit -f 1"

  @Test func `a disk that takes no more is one line, and no failure`() async throws {
    try await StateHome.with { home in
      let users = (1...20).map { #"{"email": "user@example.com", "id": \#($0), "name": "User"}"# }
      let before = #"{"lastID": 20, "users": [\#(users.joined(separator: ","))], "version": 1}"#
      try home.writeEarlier(before)
      let full = try await run(home, trouble: Self.fullDisk, "users add Ada ada@example.com")
      #expect(full.status == 0)
      #expect(full.output == "21  Ada <ada@example.com>\n")
      #expect(full.errors.hasPrefix("brewtips: cannot keep data in \(home.folder): SQLite: "), "\(full.errors)")
      #expect(full.errors.split(separator: "\n").count == 1)
      #expect(try home.text("state.json") == before)

      let roomy = try await Brewtips.run(["users", "add", "Alan", "a@b"], environment: home.environment)
      #expect(roomy.output == "21  Alan <a@b>\n")
      let fullAgain = try await run(home, trouble: Self.fullDisk, "users add Ada ada@example.com")
      #expect(fullAgain.output == "22  Ada <ada@example.com>\n")
      #expect(fullAgain.errors.split(separator: "\n").count == 1)
      #expect(try await home.sql("SELECT max(id), count(*) FROM users") == "[[21, 21]]")
    }
  }

  @Test func `a folder that cannot be written is read, and one line says that nothing is kept`() async throws {
    try await StateHome.with { home in
      _ = try await Brewtips.run(["users", "add", "Ada", "ada@example.com"], environment: home.environment)
      chmod(home.folder, 0o500)
      chmod(home.database, 0o400)
      chmod(home.folder + "/state.lock", 0o400)
      defer { chmod(home.folder, 0o700) }
      let list = try await run(home, trouble: "", "users list")
      #expect(list.output == "1  Ada <ada@example.com>\n")
      #expect(list.errors.isEmpty || list.errors.contains(" is taken: "), "\(list.errors)")
      let add = try await run(home, trouble: "", "users add Alan a@b")
      #expect(add.output == "2  Alan <a@b>\n")
      let line = "cannot keep data in \(home.folder): could not lock \(home.folder)/state.lock: Permission denied. "
      #expect(add.errors.contains("brewtips: \(line)What is added is lost when this run ends\n"), "\(add.errors)")
      #expect(try await home.sql("SELECT id FROM users") == "[[1]]")
    }
  }

  @Test func `a damaged database is one line, and no failure`() async throws {
    try await StateHome.with { home in
      try home.write(Data("no database, whatever it is".utf8), to: home.database)
      let run = try await Brewtips.run([], environment: home.environment)
      #expect(run.status == 0)
      #expect(run.output.hasSuffix(".\n"))
      #expect(run.errors.hasPrefix("brewtips: \(home.database) is damaged (SQLite: file is not a database (26)): "))
      #expect(run.errors.split(separator: "\n").count == 1)
      let next = try await Brewtips.run([], environment: home.environment)
      #expect(!next.errors.contains("damaged"))
    }
  }

  @Test func `a server that is killed at any moment has lost nobody whom it has acknowledged`() async throws {
    try await StateHome.with { home in
      let acknowledged = Places()
      for _ in 1...10 {
        let end = acknowledged.all.count + Int.random(in: 1...12)
        let run = try await serve(home) { url, app in
          let ask = Asking(url)
          await withTaskGroup { group in
            for _ in 1...4 {
              group.addTask {
                while let place = try? await ask.addUser("Ada").fields[.location] {
                  // While the others' requests are at some point between being read and being answered.
                  if acknowledged.note(place) >= end { app.send(SIGKILL) }
                }
              }
            }
          }
        }
        #expect(run.status == 128 + SIGKILL)
      }
      let places = acknowledged.all
      #expect(Set(places).count == places.count)
      let list = try await Brewtips.run(["users", "list"], environment: home.environment)
      let kept = Set(list.output.split(separator: "\n").map { "/users/" + $0.prefix { $0 != " " } })
      #expect(kept.isSuperset(of: places))
      #expect(try await home.sql("PRAGMA integrity_check") == #"[["ok"]]"#)
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

/// Where users are who were added.
private final class Places: Sendable {
  private let places = Mutex<[String]>([])

  var all: [String] { places.withLock(\.self) }

  /// Notes one more; how many there are.
  func note(_ place: String) -> Int {
    places.withLock { places in
      places.append(place)
      return places.count
    }
  }
}
