import Foundation
import Testing

/// The built app with its cache: against a server in Python, and its own.
@Suite(.timeLimit(.minutes(1))) struct BrewtipsCacheTests {
  private static let tip = "Weigh the water."

  @Test func `the second time within max-age no request is made`() async throws {
    try await StateHome.with { home in
      try await PythonServer.faulty { server in
        let url = server.url + "/cache/max-age=600"
        for source in ["network", "cache", "cache"] {
          let run = try await Brewtips.run(["--json", "--base-url", url], environment: home.environment)
          #expect(run.output.contains(#""source":"\#(source)","tip":"\#(Self.tip)""#))
          #expect(run.errors.isEmpty)
        }
        #expect(try await server.nextLine() == "/cache/max-age=600/tips/today")
        // Nothing came in between.
        _ = try await Brewtips.run(["--base-url", url, "--no-cache"], environment: home.environment)
        _ = try await Brewtips.run(["--base-url", server.url + "/status/404"], environment: home.environment)
        #expect(try await server.nextLine() == "/cache/max-age=600/tips/today")
        #expect(try await server.nextLine() == "/status/404/tips/today")
      }
    }
  }

  @Test func `with the server down the stale tip is shown, and how old it is`() async throws {
    try await StateHome.with { home in
      var url = ""
      try await PythonServer.faulty { server in
        url = server.url + "/cache/max-age=0"
        let run = try await Brewtips.run(["--base-url", url], environment: home.environment)
        #expect(run.output == Self.tip + "\n")
      }
      let text = try await Brewtips.run(["--strict", "--base-url", url], environment: home.environment)
      #expect(text.status == 0)
      #expect(text.output == Self.tip + "\n")
      let line = /brewtips: this tip is \d+ (second|minute)s? old: there was no newer one to be had\n/
      #expect(text.errors.wholeMatch(of: line) != nil, "\(text.errors)")
      let json = try await Brewtips.run(["--json", "--base-url", url], environment: home.environment)
      #expect(json.output.wholeMatch(of: /{"age_seconds":\d+,"source":"stale","tip":"Weigh the water."}\n/) != nil)
    }
  }

  @Test func `offline no server is asked`() async throws {
    try await StateHome.with { home in
      try await PythonServer.faulty { server in
        let offline = ["--offline", "--base-url", server.url + "/cache/max-age=0"]
        let strict = try await Brewtips.run(offline + ["--strict"], environment: home.environment)
        #expect(strict.status == 69)
        #expect(strict.output.isEmpty)
        #expect(
          strict.errors == "brewtips: No answer to this is stored, and --offline asks no server: leave it out.\n")
        let own = try await Brewtips.run(offline, environment: home.environment)
        #expect(own.status == 0)
        #expect(own.errors.hasPrefix("brewtips: here is a tip of our own. No answer to this is stored"))

        _ = try await Brewtips.run(Array(offline.dropFirst()), environment: home.environment)
        #expect(try await server.nextLine() == "/cache/max-age=0/tips/today")
        let stored = try await Brewtips.run(offline + ["--strict"], environment: home.environment)
        #expect(stored.output == Self.tip + "\n")
        #expect(stored.errors.contains("old: there was no newer one to be had"))
        // The first request since then.
        _ = try await Brewtips.run(["--base-url", server.url + "/status/404"], environment: home.environment)
        #expect(try await server.nextLine() == "/status/404/tips/today")
      }
    }
  }

  @Test(arguments: ["no-store", "max-age=60, no-store"])
  func `what must not be stored is not in the files`(control: String) async throws {
    try await StateHome.with { home in
      try await PythonServer.faulty { server in
        let path = control.replacing(" ", with: "%20")
        let run = try await Brewtips.run(["--base-url", server.url + "/cache/" + path], environment: home.environment)
        #expect(run.output == Self.tip + "\n")
      }
      let info = try await Brewtips.run(["cache", "info", "--json"], environment: home.environment)
      #expect(info.output.hasPrefix(#"{"answers":0,"bytes":0,"folder":""#))
      for name in try FileManager.default.contentsOfDirectory(atPath: home.path + "/cache/brewtips") {
        let bytes = try Data(contentsOf: URL(filePath: home.path + "/cache/brewtips/" + name))
        #expect(bytes.range(of: Data(Self.tip.utf8)) == nil)
      }
    }
  }

  @Test func `what is stored is told, and removed`() async throws {
    try await StateHome.with { home in
      try await PythonServer.faulty { server in
        let base = server.url + "/cache/max-age="
        for age in ["600", "601", "700"] {
          _ = try await Brewtips.run(["--base-url", base + age], environment: home.environment)
        }
        func told(_ words: [String]) async throws -> String {
          try await Brewtips.run(words, environment: home.environment).output
        }
        #expect(try await told(["cache", "info"]).hasPrefix("3 answers, "))
        #expect(try await told(["cache", "clear", "--url", base + "600/tips/today"]) == "removed 1 answer\n")
        #expect(try await told(["cache", "clear", "--prefix", base + "6"]) == "removed 1 answer\n")
        #expect(try await told(["cache", "clear", "--all", "--json"]) == #"{"removed":1}"# + "\n")
        #expect(try await told(["cache", "info"]).hasPrefix("0 answers, 0 bytes, in \(home.path)"))
      }
    }
  }

  @Test func `a cache folder that cannot be used is one line, and no failure`() async throws {
    let nowhere = ["XDG_CACHE_HOME": "/dev/null/x"]
    let run = try await Brewtips.run([], environment: nowhere)
    #expect(run.status == 0)
    #expect(run.output.hasSuffix(".\n"))
    #expect(run.errors.hasPrefix("brewtips: The HTTP cache's store failed, and calls go on without it: could not make"))
    #expect(run.errors.split(separator: "\n").count == 1)
    let info = try await Brewtips.run(["cache", "info"], environment: nowhere)
    #expect(info.status == 73)
    #expect(info.errors.hasPrefix("brewtips: the cache cannot be used: could not make the folder /dev/null/x"))
  }

  @Test func `answers of the embedded server are stored from run to run`() async throws {
    try await StateHome.with { home in
      let first = try await Brewtips.run([], environment: home.environment)
      let second = try await Brewtips.run(["--json"], environment: home.environment)
      #expect(second.output.contains(#""source":"cache""#))
      let offline = try await Brewtips.run(["--offline", "--strict"], environment: home.environment)
      #expect(offline.status == 0)
      #expect(offline.output == first.output)
    }
  }
}
