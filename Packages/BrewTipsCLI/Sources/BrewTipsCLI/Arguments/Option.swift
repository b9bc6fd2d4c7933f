/// The options: all of them may stand before or after the command.
enum Option: String, CaseIterable {
  case baseURL = "--base-url"
  case json = "--json"
  case timeout = "--timeout"
  case strict = "--strict"
  case port = "--port"
  case verbose = "--verbose"
  case help = "--help"
  case version = "--version"

  /// The option called `name`; `-h` is `--help`.
  init?(name: String) {
    self.init(rawValue: name == "-h" ? "--help" : name)
  }

  /// The option's value as the help calls it; `nil` for one that takes none.
  var placeholder: String? {
    switch self {
    case .baseURL: "URL"
    case .timeout: "SECONDS"
    case .port: "PORT"
    default: nil
    }
  }

  /// What it does, for the help.
  var summary: String {
    switch self {
    case .baseURL: "the server, or BREWTIPS_URL in the environment; without either, one of its own"
    case .json: "prints JSON, on one line"
    case .timeout: "the time for the whole call, such as 2.5; 30 unless given"
    case .strict: "today: fails when the server does, instead of showing a tip of our own"
    case .port: "serve: the port, 0 for any that is free; without it the same from run to run"
    case .verbose: "logs requests and responses on standard error, secrets hidden"
    case .help: "prints this"
    case .version: "prints the version"
    }
  }
}
