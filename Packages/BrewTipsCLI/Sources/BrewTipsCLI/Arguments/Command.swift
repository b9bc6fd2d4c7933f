#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The commands, with their arguments.
enum Command: Equatable {
  case today
  case listUsers
  case getUser(id: Int)
  case addUser(name: String, email: String)
  case serve
  case cacheInfo
  case clearCache
  case download(URL)
  case upload(path: String, URL)

  /// How a command is written.
  struct Form: Sendable {
    /// Its words, such as `users list`.
    let words: [String]
    /// What its arguments are called.
    var parameters: [String] = []
    /// What it does, for the help.
    let summary: String
    /// Makes the command of as many arguments as it has parameters.
    let make: @Sendable ([String]) throws(Failure) -> Command

    /// The command as a user writes it.
    var usage: String { (words + parameters).joined(separator: " ") }
  }

  /// All commands, in the order of the help.
  static let forms = [
    Form(words: ["today"], summary: "the tip of the day; what it does without a command") { _ in .today },
    Form(words: ["users", "list"], summary: "all users") { _ in .listUsers },
    Form(words: ["users", "get"], parameters: ["ID"], summary: "one user, by number", make: getUser),
    Form(words: ["users", "add"], parameters: ["NAME", "EMAIL"], summary: "adds a user", make: addUser),
    Form(words: ["cache", "info"], summary: "how many answers of servers are stored, and where") { _ in .cacheInfo },
    Form(words: ["cache", "clear"], summary: "removes stored answers: --url, --prefix or --all") { _ in .clearCache },
    Form(words: ["serve"], summary: "runs the server until Ctrl-C, and prints its URL") { _ in .serve },
    Form(words: ["download"], parameters: ["URL"], summary: "a file, from where it broke off", make: download),
    Form(words: ["upload"], parameters: ["FILE", "URL"], summary: "puts a file at a URL", make: upload),
  ]

  private static func getUser(_ arguments: [String]) throws(Failure) -> Command {
    guard let id = Int(arguments[0]), id >= 0 else {
      throw .usage("users get takes a user's number, such as 1: see brewtips users list")
    }
    return .getUser(id: id)
  }

  private static func addUser(_ arguments: [String]) throws(Failure) -> Command {
    guard arguments.allSatisfy({ !$0.allSatisfy(\.isWhitespace) }) else {
      throw .usage("neither name nor e-mail address may be empty: write brewtips users add NAME EMAIL")
    }
    return .addUser(name: arguments[0], email: arguments[1])
  }

  private static func download(_ arguments: [String]) throws(Failure) -> Command {
    .download(try url(arguments[0], of: "download"))
  }

  private static func upload(_ arguments: [String]) throws(Failure) -> Command {
    .upload(path: arguments[0], try url(arguments[1], of: "upload"))
  }

  private static func url(_ text: String, of command: String) throws(Failure) -> URL {
    if let problem = Settings.problem(inURL: text) { throw .usage("the URL of \(command) \(problem)") }
    guard let url = URL(string: text, encodingInvalidCharacters: false) else {
      throw .usage("the URL of \(command) is not a valid URL")
    }
    return url
  }

  var isDownload: Bool {
    if case .download = self { true } else { false }
  }

  /// Whether it is about a URL of its own instead of the tips' server.
  var isTransfer: Bool {
    switch self {
    case .download, .upload: true
    case .today, .listUsers, .getUser, .addUser, .serve, .cacheInfo, .clearCache: false
    }
  }
}

extension Command {
  /// The command in a command line's words; `today` when there are none.
  init(_ words: [String]) throws(Failure) {
    guard let first = words.first else {
      self = .today
      return
    }
    let family = Self.forms.filter { $0.words[0] == first }
    guard !family.isEmpty else {
      throw .unknown("command", first, among: Self.forms.map { $0.words[0] })
    }
    let form = try Self.form(in: family, for: words)
    let arguments = Array(words.dropFirst(form.words.count))
    guard arguments.count >= form.parameters.count else {
      throw .usage("\(form.parameters[arguments.count]) is missing: write brewtips \(form.usage)")
    }
    guard arguments.count == form.parameters.count else {
      let surplus = arguments[form.parameters.count].printable(upTo: 60)
      throw .usage("unexpected argument \(surplus): write brewtips \(form.usage)")
    }
    self = try form.make(arguments)
  }

  /// The form among those that share their first word.
  private static func form(in family: [Form], for words: [String]) throws(Failure) -> Form {
    if let form = family.first(where: { words.starts(with: $0.words) }) { return form }
    let choices = family.map { $0.words[1] }
    guard words.count > 1 else {
      throw .usage("\(words[0]) needs one of \(choices.joined(separator: ", ")): write brewtips \(family[0].usage)")
    }
    throw .unknown("command", prefix: words[0] + " ", words[1], among: choices)
  }
}
