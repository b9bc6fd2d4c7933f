import Foundation
import TestSupport
import Testing

/// How the built app fails: exit codes, one or two lines, nothing secret.
@Suite(.timeLimit(.minutes(1))) struct BrewtipsFailureTests {
  /// Nothing listens on this port: it is below those that are given out, and for no service.
  private let deadURL = "http://127.0.0.1:1"

  @Test func `today shows a tip of its own when the server is down, and says why`() async throws {
    let run = try await Brewtips.run(["--base-url", deadURL])
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("Grind size"))
    #expect(run.errors.hasPrefix("brewtips: here is a tip of our own. The server could not be reached."))
    #expect(run.errors.contains("\n  GET \(deadURL)/tips/today: The connection was refused"))
    #expect(run.errors.split(separator: "\n").count == 2)

    let json = try await Brewtips.run(["--base-url", deadURL, "--json"])
    #expect(json.status == 0)
    #expect(json.output.hasPrefix(#"{"age_seconds":0,"source":"fallback","tip":"Grind size"#))
  }

  @Test(arguments: [["--strict"], ["today", "--strict", "--json"], ["users", "list"], ["users", "get", "1"]])
  func `a server that is down is 69 with --strict, and for users`(arguments: [String]) async throws {
    let run = try await Brewtips.run(arguments + ["--base-url", deadURL])
    #expect(run.status == 69)
    #expect(run.output.isEmpty)
    #expect(
      run.errors.hasPrefix("brewtips: The server could not be reached. Check the connection and try again.\n  GET "))
    #expect(run.errors.split(separator: "\n").count == 2)
  }

  private static let faults: [(path: String, status: Int32, line: String)] = [
    ("status/500", 69, "The server has a problem. Try again later."),
    ("status/404", 69, "What was asked for could not be found."),
    ("status/418", 69, "The server refused the request (418)."),
    ("status/503", 75, "The server has a problem. Try again later."),
    ("status/504", 75, "The server has a problem. Try again later."),
    ("status/408", 75, "The server refused the request (408 Request Timeout)."),
    ("status/429", 75, "Too many requests. Try again in a moment."),
    ("status/401", 77, "You are not signed in, or your session has ended."),
    ("status/403", 77, "You are not allowed to do this."),
    ("status/204", 65, "The server's answer could not be understood."),
    ("body/not%20JSON", 65, "The server's answer could not be understood."),
    ("body/%7B%22tip%22%3A7%7D", 65, "The server's answer could not be understood."),
    ("body/%7B%22tip%22%3A%22%20%22%7D", 65, "The server's answer could not be understood."),
  ]

  @Test func `each fault of the server has its exit code and its words`() async throws {
    try await PythonServer.faulty { server in
      for (path, status, line) in Self.faults {
        let url = "\(server.url)/\(path)?token=QUERY-SECRET"
        let strict = try await Brewtips.run(["--strict", "--verbose", "--base-url", url])
        #expect(strict.status == status, "\(path)")
        #expect(strict.output.isEmpty)
        #expect(strict.errors.contains("\nbrewtips: \(line)\n  GET \(server.url)/"))
        #expect(!strict.errors.contains("SECRET"))

        let lenient = try await Brewtips.run(["--base-url", url])
        #expect(lenient.status == 0, "\(path)")
        #expect(lenient.output.hasPrefix("Grind size"))
        #expect(lenient.errors.hasPrefix("brewtips: here is a tip of our own. \(line)\n"))
        #expect(!lenient.errors.contains("SECRET"))
      }
    }
  }

  @Test func `half an answer, or none that is HTTP, is never taken for a tip`() async throws {
    try await PythonServer.faulty { server in
      for path in ["cut", "noise"] {
        let run = try await Brewtips.run(["--strict", "--timeout", "10", "--base-url", "\(server.url)/\(path)"])
        #expect([65, 69].contains(run.status), "\(path)")
        #expect(run.output.isEmpty)
      }
    }
  }

  @Test func `what a server sends cannot control the terminal`() async throws {
    try await PythonServer.faulty { server in
      let url =
        server.url
        + #"/body/%7B%22tip%22%3A%22a%5Cn%5Cu001b[2Jb%C2%9Bc%E2%80%AEd%22%7D"#
        .replacing("[", with: "%5B")
      let text = try await Brewtips.run(["--base-url", url])
      #expect(text.output == "a [2Jbcd\n")

      let json = try await Brewtips.run(["--json", "--base-url", url])
      #expect(json.output.contains(#""tip":"a\n\u001b[2Jb\u009bc\u202ed""#))
    }
  }

  @Test func `a server that does not answer within the time limit is 75`() async throws {
    try await PythonServer.faulty { server in
      let run = try await Brewtips.run(["--strict", "--timeout", "0.2", "--base-url", server.url + "/late"])
      #expect(run.status == 75)
      #expect(run.errors.hasPrefix("brewtips: The server took too long to answer. Try again in a moment.\n"))
    }
  }

  @Test(arguments: [[], ["--strict"]])
  func `an interrupted run is 130, at once, without a word and without a tip`(arguments: [String]) async throws {
    try await PythonServer.faulty { server in
      let run = try await Brewtips.run(arguments + ["--base-url", server.url + "/late"]) { app in
        let request = try await server.nextLine()
        #expect(request == "/late/tips/today")
        app.send(SIGINT)
      }
      #expect(run.status == 130)
      #expect(run.output.isEmpty)
      #expect(run.errors.isEmpty)
    }
  }

  @Test func `a wrong command line is 64, with one line that names the remedy`() async throws {
    let run = try await Brewtips.run(["--jsn"])
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors == "brewtips: unknown option --jsn: did you mean --json?\n")
  }

  @Test func `an argument that is not UTF-8 is 64`() async throws {
    let run = try await Brewtips.run(script: #"exec "$0" users add "$(printf 'Ren\351e')" renee@example.com"#)
    #expect(run.status == 64)
    #expect(run.errors == "brewtips: argument 3 is not UTF-8: write it in UTF-8\n")
  }

  @Test func `a wrong configuration is 78`() async throws {
    let run = try await Brewtips.run([], environment: ["BREWTIPS_URL": "localhost"])
    #expect(run.status == 78)
    #expect(run.output.isEmpty)
    #expect(
      run.errors
        == "brewtips: BREWTIPS_URL does not begin with http:// or https://: write it as http://127.0.0.1:8080\n")
  }

  @Test func `a reader that has gone is no failure and no word`() async throws {
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    let run = try await Brewtips.run(["--help"], output: .descriptor(pipe.fileHandleForWriting.fileDescriptor))
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
  }

  #if os(Linux)
  @Test func `an output that takes nothing is 73`() async throws {
    let run = try await Brewtips.run(["--help"], output: .file("/dev/full"))
    #expect(run.status == 73)
    #expect(run.errors == "brewtips: cannot write to standard output: No space left on device\n")
  }
  #endif

  @Test func `a closed output is 73`() async throws {
    let run = try await Brewtips.run(script: #"exec "$0" --version >&-"#)
    #expect(run.status == 73)
    #expect(run.errors == "brewtips: cannot write to standard output: Bad file descriptor\n")
  }
}
