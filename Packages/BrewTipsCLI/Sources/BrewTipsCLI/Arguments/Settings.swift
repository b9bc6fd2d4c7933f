import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the options and the environment say about how to run a command.
struct Settings: Equatable {
  /// The server; `nil` for the embedded one.
  var baseURL: URL?
  /// The time for the whole call; `nil` for the client's own.
  var timeout: Duration?
  /// The port to serve on; `nil` for the same from run to run.
  var port: Int?
  /// Where a download goes; `nil` for the current folder.
  var output: String?
  /// The SHA-256 that a download must have.
  var sha256: String?
  /// How the server is reached.
  var connection = ConnectionSettings()
  /// How the app gets a token; `nil` for a server that wants none.
  var credentials: ClientCredentials?
  /// Whether stored answers are used, and new ones stored.
  var usesCache = true
  /// Whether no server is asked.
  var isOffline = false
  /// What is removed from the cache.
  var removal = CacheRemoval.all
  var printsJSON = false
  var isStrict = false
  var isVerbose = false
  var drawsTrace = false
}

extension Settings {
  init(_ arguments: ScannedArguments, environment: [String: String]) throws(Failure) {
    baseURL = try Self.baseURL(option: arguments[.baseURL], variable: environment["BREWTIPS_URL"])
    if let seconds = arguments[.timeout] { timeout = try Self.timeout(seconds) }
    if let port = arguments[.port] { self.port = try Self.port(port) }
    output = arguments[.output]
    if let sha256 = arguments[.sha256] { self.sha256 = try Self.sha256(sha256) }
    connection = try ConnectionSettings(arguments)
    credentials = try ClientCredentials(environment: environment)
    usesCache = !arguments.has(.noCache)
    isOffline = arguments.has(.offline)
    removal = try CacheRemoval(arguments)
    printsJSON = arguments.has(.json)
    isStrict = arguments.has(.strict)
    isVerbose = arguments.has(.verbose)
    drawsTrace = arguments.has(.trace)
  }

  /// The option wins; a variable that is empty is as good as none.
  private static func baseURL(option: String?, variable: String?) throws(Failure) -> URL? {
    if let option { return try url(option, of: .baseURL) }
    guard let variable, !variable.isEmpty else { return nil }
    if let problem = problem(inURL: variable) { throw .configuration("BREWTIPS_URL \(problem)") }
    return URL(string: variable)
  }

  /// The URL that is an option's value.
  static func url(_ text: String, of option: Option) throws(Failure) -> URL? {
    if let problem = problem(inURL: text) { throw .usage("\(option.rawValue) \(problem)") }
    return URL(string: text)
  }

  /// What is wrong with a URL and how to write it, without the URL itself, which may hold a secret; `nil` when nothing is.
  static func problem(inURL text: String) -> String? {
    let remedy = "write it as http://127.0.0.1:8080"
    guard ["http://", "https://"].contains(where: text.lowercased().hasPrefix) else {
      return "does not begin with http:// or https://: \(remedy)"
    }
    guard let url = URL(string: text, encodingInvalidCharacters: false) else {
      return "is not a valid URL: \(remedy)"
    }
    if url.user(percentEncoded: true) != nil || url.password(percentEncoded: true) != nil {
      return "has a user name or password in it, which is not supported: \(remedy)"
    }
    if (url.host(percentEncoded: true) ?? "").isEmpty {
      return "names no host: \(remedy)"
    }
    if let port = url.port, !(1...65535).contains(port) {
      return "has a port outside 1 to 65535: \(remedy)"
    }
    let canBeSent = (try? HTTPRequest(method: .get, url: url).validate()) != nil
    return canBeSent ? nil : "is not a valid URL: \(remedy)"
  }

  private static func port(_ text: String) throws(Failure) -> Int {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(text), port <= 65_535 else {
      throw .usage("--port takes a number from 1 to 65535, or 0 for any port that is free")
    }
    return port
  }

  private static func sha256(_ text: String) throws(Failure) -> String {
    guard text.utf8.count == 64, text.allSatisfy(\.isHexDigit) else {
      throw .usage("--sha256 takes 64 hexadecimal digits, as sha256sum prints them")
    }
    return text
  }

  private static let longestTimeout = 86_400

  /// Seconds in decimal digits. (`Double` alone would take `nan`, `0x10` and `1e400` too.)
  private static func timeout(_ text: String) throws(Failure) -> Duration {
    let isDecimal = text.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
    guard isDecimal, let seconds = Double(text), seconds >= 0.001, seconds <= Double(longestTimeout) else {
      throw .usage("--timeout takes seconds from 0.001 to \(longestTimeout), such as 2.5")
    }
    return .seconds(seconds)
  }
}
