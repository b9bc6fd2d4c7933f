/// What `--help` prints.
var helpText: String {
  let commands = Command.forms.map { ($0.usage, $0.summary) }
  let options = Option.allCases.map { option in
    (option.rawValue + (option.placeholder.map { " " + $0 } ?? ""), option.summary)
  }
  return """
    brewtips: a better cup of coffee, a tip a day.

    usage: brewtips [OPTION…] [COMMAND]

    commands:
    \(table(commands))

    options, before or after the command:
    \(table(options + [("--", "ends the options: what follows is a word of the command")]))

    environment:
    \(table(environment))

    exit codes:
    \(table(ExitCode.allCases.map { (String($0.rawValue), $0.summary) }))
    """
}

private let environment = [
  ("BREWTIPS_URL", "the server, unless --base-url says"),
  ("BREWTIPS_TOKEN_URL", "where a token is asked for (OAuth 2.0 client credentials), if the server wants one; with"),
  ("BREWTIPS_CLIENT_ID", "  the app's name there, and"),
  ("BREWTIPS_CLIENT_SECRET", "  its secret"),
  ("NO_COLOR", "--trace: draws without colours"),
]

private func table(_ rows: [(String, String)]) -> String {
  let width = rows.map(\.0.count).max() ?? 0
  return rows.map { name, summary in
    "  " + name + String(repeating: " ", count: width - name.count + 2) + summary
  }.joined(separator: "\n")
}
