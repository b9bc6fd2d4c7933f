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
  ("BREWTIPS_TOKEN_URL", "for a server that wants a token: where to get one (OAuth 2.0)"),
  ("BREWTIPS_CLIENT_ID", "with it: who asks there"),
  ("BREWTIPS_CLIENT_SECRET", "with it: the secret that proves it"),
  ("NO_COLOR", "--trace: draws without colours"),
]

private func table(_ rows: [(String, String)]) -> String {
  let width = rows.map(\.0.count).max() ?? 0
  return rows.map { name, summary in
    "  " + name + String(repeating: " ", count: width - name.count + 2) + summary
  }.joined(separator: "\n")
}
