import Foundation
import Testing

@testable import BrewTipsCLI

/// The command line as a table: what it means, or the one line that says what is wrong with it.
@Suite(.timeLimit(.minutes(1))) struct BrewtipsArgumentTests {
  private static let url = "http://127.0.0.1:8080"

  private static func settings(_ change: (inout Settings) -> Void = { _ in }) -> Settings {
    var settings = Settings()
    change(&settings)
    return settings
  }

  private static let understood: [(String, Invocation)] = [
    ("", .command(.today, settings())),
    ("today", .command(.today, settings())),
    ("--", .command(.today, settings())),
    ("users list", .command(.listUsers, settings())),
    ("users get 7", .command(.getUser(id: 7), settings())),
    ("users add Ada ada@example.com", .command(.addUser(name: "Ada", email: "ada@example.com"), settings())),
    ("users add -- -Ada --json", .command(.addUser(name: "-Ada", email: "--json"), settings())),
    ("users add - -1", .command(.addUser(name: "-", email: "-1"), settings())),
    (
      "--json users --strict list --verbose",
      .command(
        .listUsers,
        settings {
          ($0.printsJSON, $0.isStrict, $0.isVerbose) = (true, true, true)
        })
    ),
    ("--trace", .command(.today, settings { $0.drawsTrace = true })),
    ("--timeout 2.5", .command(.today, settings { $0.timeout = .milliseconds(2_500) })),
    ("--timeout=.5", .command(.today, settings { $0.timeout = .milliseconds(500) })),
    ("--timeout 1 today --timeout 2", .command(.today, settings { $0.timeout = .seconds(2) })),
    ("--base-url \(url)", .command(.today, settings { $0.baseURL = URL(string: url) })),
    ("today --base-url=\(url)/a?b=c", .command(.today, settings { $0.baseURL = URL(string: url + "/a?b=c") })),
    ("--base-url http://[::1]:8080", .command(.today, settings { $0.baseURL = URL(string: "http://[::1]:8080") })),
    ("--no-cache", .command(.today, settings { $0.usesCache = false })),
    ("users list --offline", .command(.listUsers, settings { $0.isOffline = true })),
    ("cache info", .command(.cacheInfo, settings())),
    ("cache clear --all", .command(.clearCache, settings())),
    ("cache clear --url \(url)/a", .command(.clearCache, settings { $0.removal = .url(URL(string: url + "/a")!) })),
    ("--prefix=\(url) cache clear", .command(.clearCache, settings { $0.removal = .prefix(URL(string: url)!) })),
    ("download \(url)/a", .command(.download(URL(string: url + "/a")!), settings())),
    ("download -o b \(url)/a", .command(.download(URL(string: url + "/a")!), settings { $0.output = "b" })),
    ("upload a \(url)/a", .command(.upload(path: "a", URL(string: url + "/a")!), settings())),
    ("--help", .help), ("-h", .help), ("help", .help), ("users lst --help", .help), ("--help --version", .help),
    ("--version", .version), ("today --version --json", .version),
  ]

  @Test(arguments: understood)
  func `understands what may be written`(line: String, meaning: Invocation) throws {
    #expect(try Invocation(parsing: words(line), environment: [:]) == meaning)
  }

  private static let refused: [(String, String)] = [
    ("download", "URL is missing: write brewtips download URL"),
    ("upload a", "URL is missing: write brewtips upload FILE URL"),
    ("download a", "the URL of download does not begin with http:// or https://: write it as http://127.0.0.1:8080"),
    ("download \(url) --base-url \(url)", "--base-url is for tips and users: a transfer has a whole URL of its own"),
    ("today -o a", "--output is for download: write brewtips download URL --output …"),
    ("download \(url) --sha256 ab", "--sha256 takes 64 hexadecimal digits, as sha256sum prints them"),
    ("--jsn", "unknown option --jsn: did you mean --json?"),
    ("--cert a.pem", "--cert needs the private key too: add --key FILE"),
    ("--key a.key", "--key needs the certificate too: add --cert FILE"),
    (
      "--proxy 127.0.0.1:3128",
      "--proxy takes a URL with a port: write it as http://127.0.0.1:3128 or socks5h://127.0.0.1:1080"
    ),
    ("serve --ca-file a.pem", "--ca-file is for reaching a server, which serve does not: leave it out"),
    ("serve --trace", "--trace draws calls, and serve makes none: leave it out"),
    ("serve --offline", "--offline is for reaching a server, which serve does not: leave it out"),
    ("users add Ada a@b --offline", "users add needs the server: leave --offline out"),
    (
      "--offline --no-cache",
      "--offline answers with what is stored, and --no-cache does not: leave one out"
    ),
    ("cache", "cache needs one of info, clear: write brewtips cache info"),
    ("cache clear", "cache clear takes one of --url URL, --prefix URL and --all"),
    ("cache clear --all --url \(url)", "cache clear takes one of --url URL, --prefix URL and --all"),
    ("cache clear --url a", "--url does not begin with http:// or https://: write it as http://127.0.0.1:8080"),
    ("today --all", "--all is for cache clear: leave it out"),
    ("--url \(url)", "--url is for cache clear: name a server with --base-url URL"),
    (
      "cache clear --all --base-url \(url)",
      "cache clear asks no server: write brewtips cache clear --prefix URL for the answers of one"
    ),
    (
      "cache info --base-url \(url)",
      "--base-url is for asking a server, which the cache commands do not: leave it out"
    ),
    ("cache info --offline", "--offline is for asking a server, which the cache commands do not: leave it out"),
    ("cache clear --all --trace", "--trace is for asking a server, which the cache commands do not: leave it out"),
    ("--JSON", "unknown option --JSON: see brewtips --help"),
    ("--verbsoe", "unknown option --verbsoe: did you mean --verbose?"),
    ("--base", "unknown option --base: did you mean --base-url?"),
    ("--tokn=secret", "unknown option --tokn: see brewtips --help"),
    ("-x", "unknown option -x: see brewtips --help"),
    ("tody", "unknown command tody: did you mean today?"),
    ("usr list", "unknown command usr: did you mean users?"),
    ("espresso", "unknown command espresso: see brewtips --help"),
    ("-- --json", "unknown command --json: see brewtips --help"),
    ("users", "users needs one of list, get, add: write brewtips users list"),
    ("users lst", "unknown command users lst: did you mean users list?"),
    ("users gte", "unknown command users gte: did you mean users get?"),
    ("users delete", "unknown command users delete: see brewtips --help"),
    ("users get", "ID is missing: write brewtips users get ID"),
    ("users get ada", "users get takes a user's number, such as 1: see brewtips users list"),
    ("users get -1", "users get takes a user's number, such as 1: see brewtips users list"),
    ("users add", "NAME is missing: write brewtips users add NAME EMAIL"),
    ("users add Ada", "EMAIL is missing: write brewtips users add NAME EMAIL"),
    ("users add Ada ada@example.com now", "unexpected argument now: write brewtips users add NAME EMAIL"),
    ("today tomorrow", "unexpected argument tomorrow: write brewtips today"),
    ("--json=yes", "--json takes no value: write it alone"),
    ("--timeout", "--timeout needs a value: write --timeout SECONDS"),
    ("--timeout --json", "--timeout needs a value: write --timeout SECONDS"),
    ("--base-url", "--base-url needs a value: write --base-url URL"),
  ]

  @Test(arguments: refused)
  func `refuses the rest with one line that names the remedy`(line: String, complaint: String) {
    #expect(throws: Failure.usage(complaint)) { try Invocation(parsing: words(line), environment: [:]) }
  }

  @Test(arguments: ["-1", "-0.5", "0", "0.0001", "86401", "1e3", "0x10", "nan", "inf", "1e400", "", "1,5", "2 s", "."])
  func `a time limit is seconds above zero and at most a day`(seconds: String) {
    #expect(throws: Failure.usage("--timeout takes seconds from 0.001 to 86400, such as 2.5")) {
      try Invocation(parsing: ["--timeout", seconds], environment: [:])
    }
  }

  private static let badURLs = [
    ("127.0.0.1:8080", "does not begin with http:// or https://"),
    ("localhost:8080", "does not begin with http:// or https://"),
    ("ftp://127.0.0.1", "does not begin with http:// or https://"),
    ("", "does not begin with http:// or https://"),
    ("http://", "names no host"),
    ("http://:8080", "names no host"),
    ("http://ada:secret@example.com", "has a user name or password in it, which is not supported"),
    ("http://127.0.0.1:0", "has a port outside 1 to 65535"),
    ("http://127.0.0.1:65536", "has a port outside 1 to 65535"),
    ("http://127.0.0.1:port", "is not a valid URL"),
    ("http://a b", "is not a valid URL"),
    ("http://a\r\nb", "is not a valid URL"),
    ("http://bücher.example", "is not a valid URL"),
  ]

  @Test(arguments: badURLs)
  func `a bad URL is not repeated, since it may hold a secret`(url: String, problem: String) {
    let complaint = "\(problem): write it as http://127.0.0.1:8080"
    #expect(throws: Failure.usage("--base-url \(complaint)")) {
      try Invocation(parsing: ["--base-url", url], environment: [:])
    }
    if !url.isEmpty {
      #expect(throws: Failure.configuration("BREWTIPS_URL \(complaint)")) {
        try Invocation(parsing: [], environment: ["BREWTIPS_URL": url])
      }
    }
  }

  @Test func `the option wins over the environment, an empty variable is none`() throws {
    let variable = ["BREWTIPS_URL": "http://example.com"]
    let fromVariable = Self.settings { $0.baseURL = URL(string: "http://example.com") }
    let fromOption = Self.settings { $0.baseURL = URL(string: Self.url) }

    #expect(try Invocation(parsing: [], environment: variable) == .command(.today, fromVariable))
    #expect(try Invocation(parsing: ["--base-url", Self.url], environment: variable) == .command(.today, fromOption))
    #expect(
      try Invocation(parsing: ["--base-url", Self.url], environment: ["BREWTIPS_URL": "nonsense"])
        == .command(.today, fromOption))
    #expect(try Invocation(parsing: [], environment: ["BREWTIPS_URL": ""]) == .command(.today, Self.settings()))
  }

  @Test(arguments: [["users", "add", "", "a@example.com"], ["users", "add", "Ada", " \t"]])
  func `neither name nor address may be empty`(words: [String]) {
    #expect(
      throws: Failure.usage("neither name nor e-mail address may be empty: write brewtips users add NAME EMAIL")
    ) {
      try Invocation(parsing: words, environment: [:])
    }
  }

  @Test func `a word that could control the terminal, or flood it, is shown without harm`() {
    #expect(throws: Failure.usage("unknown command [2J: see brewtips --help")) {
      try Invocation(parsing: ["\u{1B}[2J"], environment: [:])
    }
    #expect(throws: Failure.usage("unknown command \(String(repeating: "a", count: 60))…: see brewtips --help")) {
      try Invocation(parsing: [String(repeating: "a", count: 100_000)], environment: [:])
    }
  }

  @Test func `the help names every command, option and exit code`() {
    for form in Command.forms { #expect(helpText.contains(form.usage)) }
    for option in Option.allCases { #expect(helpText.contains("  \(option.rawValue)")) }
    for code in ExitCode.allCases { #expect(helpText.contains("\n  \(code.rawValue)  ")) }
    #expect(helpText.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  private func words(_ line: String) -> [String] {
    line.split(separator: " ").map(String.init)
  }
}
