/// What a command line asks for.
enum Invocation: Equatable {
  case help
  case version
  case command(Command, Settings)

  /// - Parameters:
  ///   - arguments: The command line without the program's name.
  ///   - environment: Where `BREWTIPS_URL` and its like are looked up.
  init(parsing arguments: [String], environment: [String: String]) throws(Failure) {
    let scanned = try ScannedArguments(arguments)
    if scanned.has(.help) || scanned.words == ["help"] {
      self = .help
    } else if scanned.has(.version) {
      self = .version
    } else {
      let command = try Command(scanned.words)
      try scanned.check(for: command)
      self = .command(command, try Settings(scanned, environment: environment))
    }
  }
}

extension ScannedArguments {
  /// Refuses an option that would mean nothing to `command`, though somebody meant something by it.
  fileprivate func check(for command: Command) throws(Failure) {
    if command == .serve, has(.baseURL) {
      throw .usage("serve takes no --base-url, since it is the server itself: write brewtips serve --port PORT")
    }
    if command == .serve, let option = Option.connection.first(where: has) {
      throw .usage("\(option.rawValue) is for reaching a server, which serve does not: leave it out")
    }
    if command == .serve, has(.trace) {
      throw .usage("--trace draws calls, and serve makes none: leave it out")
    }
    if case .addUser = command, has(.offline) {
      throw .usage("users add needs the server: leave --offline out")
    }
    try checkCache(for: command)
    if has(.noCache), has(.offline) {
      throw .usage("--offline answers with what is stored, and --no-cache does not: leave one out")
    }
    if command.isTransfer, has(.baseURL) {
      throw .usage("--base-url is for tips and users: a transfer has a whole URL of its own")
    }
    if command.isTransfer, let option = [Option.offline, .noCache].first(where: has) {
      throw .usage("\(option.rawValue) is about stored answers, and a transfer uses none: leave it out")
    }
    if !command.isDownload, let option = [Option.output, .sha256].first(where: has) {
      throw .usage("\(option.rawValue) is for download: write brewtips download URL \(option.rawValue) …")
    }
    if command != .serve, has(.port) {
      throw .usage("--port is for serve: write brewtips serve --port PORT")
    }
  }

  /// What is removed is said in one way, and never by naming a server: `--all` with it would remove the others' answers too.
  private func checkCache(for command: Command) throws(Failure) {
    let removals = Option.removal.filter(has)
    if command == .clearCache, has(.baseURL) {
      throw .usage("cache clear asks no server: write brewtips cache clear --prefix URL for the answers of one")
    }
    if command == .clearCache, removals.count != 1 {
      throw .usage("cache clear takes one of --url URL, --prefix URL and --all")
    }
    if command == .clearCache || command == .cacheInfo,
      let option = ([.baseURL, .trace] + Option.connection).first(where: has)
    {
      throw .usage("\(option.rawValue) is for asking a server, which the cache commands do not: leave it out")
    }
    if command != .clearCache, !command.isTransfer, has(.url) {
      throw .usage("--url is for cache clear: name a server with --base-url URL")
    }
    if command != .clearCache, let option = removals.first {
      throw .usage("\(option.rawValue) is for cache clear: leave it out")
    }
  }
}
