import Foundation
import Testing

/// The built app against `Tools/tip-server.py`.
@Suite(.timeLimit(.minutes(1))) struct BrewtipsTests {
  private let tip = "Rinse the paper filter with hot water first: it washes out the papery taste and warms the brewer."

  @Test(arguments: [[], ["today"]])
  func `prints today's tip, and nothing else`(command: [String]) async throws {
    try await PythonServer.tips { server in
      let run = try await Brewtips.run(command + ["--base-url", server.url])
      #expect(run.status == 0)
      #expect(run.output == tip + "\n")
      #expect(run.errors.isEmpty)
    }
  }

  @Test func `finds the server by BREWTIPS_URL`() async throws {
    try await PythonServer.tips { server in
      let run = try await Brewtips.run(["--strict"], environment: ["BREWTIPS_URL": server.url + "/"])
      #expect(run.status == 0)
      #expect(run.output == tip + "\n")
    }
  }

  @Test func `prints the tip as JSON with its source and age`() async throws {
    try await PythonServer.tips { server in
      let run = try await Brewtips.run(["--json", "--base-url", server.url])
      #expect(run.output == #"{"age_seconds":0,"source":"network","tip":"\#(tip)"}"# + "\n")
    }
  }

  @Test func `lists, shows and adds users`() async throws {
    try await PythonServer.tips { server in
      let add = try await Brewtips.run(["--base-url", server.url, "users", "add", "Grace Hopper", "grace@example.com"])
      #expect(add.output == "3  Grace Hopper <grace@example.com>\n")

      let get = try await Brewtips.run(["users", "get", "3", "--base-url", server.url])
      #expect(get.output == add.output)

      let list = try await Brewtips.run(["users", "--base-url", server.url, "list"])
      #expect(
        list.output == """
          1  Ada Lovelace <ada@example.com>
          2  Alan Turing <alan@example.com>
          3  Grace Hopper <grace@example.com>

          """)
      #expect([add.status, get.status, list.status] == [0, 0, 0])

      let json = try await Brewtips.run(["users", "get", "1", "--json", "--base-url", server.url])
      #expect(json.output == #"{"email":"ada@example.com","id":1,"name":"Ada Lovelace"}"# + "\n")
    }
  }

  @Test func `says in the server's words that a user is not there`() async throws {
    try await PythonServer.tips { server in
      let get = try await Brewtips.run(["users", "get", "99", "--base-url", server.url])
      #expect(get.status == 69)
      #expect(get.output.isEmpty)
      #expect(
        get.errors == """
          brewtips: There is no such user.
            GET \(server.url)/users/99: The server answered 404 Not Found.

          """)
    }
  }

  @Test func `a list without users says so, beside an output that is empty`() async throws {
    try await PythonServer.faulty { server in
      let url = server.url + "/body/%5B%5D"
      let text = try await Brewtips.run(["users", "list", "--base-url", url])
      #expect(text.status == 0)
      #expect(text.output.isEmpty)
      #expect(text.errors == "brewtips: there are no users yet: add one with brewtips users add NAME EMAIL\n")

      let json = try await Brewtips.run(["users", "list", "--json", "--base-url", url])
      #expect(json.output == "[]\n")
      #expect(json.errors.isEmpty)
    }
  }

  @Test func `verbose logs the exchange on standard error, and leaves standard output alone`() async throws {
    try await PythonServer.tips { server in
      let run = try await Brewtips.run(["--verbose", "--base-url", server.url])
      #expect(run.output == tip + "\n")
      #expect(run.errors.contains("[1 GetTipOfTheDay] → GET \(server.url)/tips/today\n"))
      #expect(run.errors.contains("[1 GetTipOfTheDay] ← 200 OK in "))
      #expect(run.errors.contains("User-Agent: brewtips/"))
    }
  }

  @Test func `verbose hides names, addresses and the query of the server's URL`() async throws {
    try await PythonServer.tips { server in
      let run = try await Brewtips.run([
        "users", "add", "Grace NAME-SECRET", "MAIL-SECRET@example.com", "--verbose", "--base-url",
        server.url + "?token=QUERY-SECRET",
      ])
      #expect(run.output == "3  Grace NAME-SECRET <MAIL-SECRET@example.com>\n")
      #expect(run.errors.contains(#""name":"<redacted>""#))
      #expect(run.errors.contains("token=<redacted>"))
      #expect(!run.errors.contains("SECRET"))
    }
  }

  @Test func `help and version need no server and print to standard output`() async throws {
    let help = try await Brewtips.run(["--help"])
    #expect(help.status == 0)
    #expect(help.output.contains("usage: brewtips [OPTION…] [COMMAND]"))
    #expect(help.errors.isEmpty)

    let version = try await Brewtips.run(["--version"])
    #expect(version.status == 0)
    #expect(version.output.wholeMatch(of: /brewtips \d+\.\d+\.\d+\n/) != nil)
  }
}
