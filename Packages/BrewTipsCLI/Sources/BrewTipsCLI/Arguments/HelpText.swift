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

    exit codes:
    \(table(ExitCode.allCases.map { (String($0.rawValue), $0.summary) }))
    """
}

private func table(_ rows: [(String, String)]) -> String {
  let width = rows.map(\.0.count).max() ?? 0
  return rows.map { name, summary in
    "  " + name + String(repeating: " ", count: width - name.count + 2) + summary
  }.joined(separator: "\n")
}
