/// The options: all of them may stand before or after the command.
enum Option: String, CaseIterable {
  case baseURL = "--base-url"
  case json = "--json"
  case timeout = "--timeout"
  case strict = "--strict"
  case port = "--port"
  case output = "--output"
  case sha256 = "--sha256"
  case caFile = "--ca-file"
  case certificate = "--cert"
  case key = "--key"
  case pin = "--pin"
  case proxy = "--proxy"
  case noCache = "--no-cache"
  case offline = "--offline"
  case url = "--url"
  case prefix = "--prefix"
  case all = "--all"
  case verbose = "--verbose"
  case trace = "--trace"
  case help = "--help"
  case version = "--version"

  /// The option called `name`; `-h` is `--help`, `-o` is `--output`.
  init?(name: String) {
    self.init(rawValue: ["-h": "--help", "-o": "--output"][name] ?? name)
  }

  /// Those that say how to reach a server.
  static let connection: [Option] = [.caFile, .certificate, .key, .pin, .proxy, .noCache, .offline]
  /// Those that say what is removed from the cache.
  static let removal: [Option] = [.url, .prefix, .all]

  /// The option's value as the help calls it; `nil` for one that takes none.
  var placeholder: String? {
    switch self {
    case .baseURL, .url, .prefix: "URL"
    case .timeout: "SECONDS"
    case .port: "PORT"
    case .caFile, .certificate, .key, .output: "FILE"
    case .sha256: "HEX"
    case .pin: "PINS"
    case .proxy: "URL"
    case .json, .strict, .noCache, .offline, .all, .verbose, .trace, .help, .version: nil
    }
  }

  /// What it does, for the help.
  var summary: String {
    switch self {
    case .baseURL: "the server, or BREWTIPS_URL in the environment; without either, one of its own"
    case .json: "prints JSON, on one line"
    case .timeout: "the time for a call, such as 2.5; unless given 30, or a week for a transfer"
    case .strict: "today: fails when the server does, instead of showing a tip of our own"
    case .port: "serve: the port, 0 for any that is free; without it the same from run to run"
    case .output: "or -o; download: the file to make or replace, or a folder; here unless given"
    case .sha256: "download: fails unless the file has this SHA-256"
    case .caFile: "trusts the certificate authorities in a PEM file, instead of the system's"
    case .certificate: "the client's certificate in PEM, for a server that asks for one; with --key"
    case .key: "its private key in PEM"
    case .pin: "the server's key must be one of these: sha256/BASE64, several joined by commas"
    case .proxy: "goes through a proxy, such as http://127.0.0.1:3128 or socks5h://127.0.0.1:1080"
    case .noCache: "uses no stored answer, and stores none"
    case .offline: "asks no server: answers with what is stored, however old"
    case .url: "cache clear: the answers of this URL"
    case .prefix: "cache clear: the answers of all URLs that begin like this"
    case .all: "cache clear: all answers"
    case .verbose: "logs requests and responses on standard error, secrets hidden"
    case .trace: "draws on standard error how the time of each call was spent"
    case .help: "prints this"
    case .version: "prints the version"
    }
  }
}
