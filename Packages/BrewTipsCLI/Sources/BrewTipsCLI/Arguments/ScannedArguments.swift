/// A command line taken apart: options with their values, and the other words in order.
///
/// `--option value` and `--option=value` mean the same, `--` ends the options. An option given again replaces the first.
struct ScannedArguments {
  private(set) var words: [String] = []
  private var values: [Option: String] = [:]

  init(_ arguments: [String]) throws(Failure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        return
      }
      if Self.isOption(argument) {
        try scanOption(argument, &rest)
      } else {
        words.append(argument)
      }
    }
  }

  /// Whether the option was given.
  func has(_ option: Option) -> Bool {
    values[option] != nil
  }

  /// The option's value, when it was given.
  subscript(option: Option) -> String? {
    values[option]
  }

  /// A dash alone is a word, and so is a negative number.
  private static func isOption(_ argument: String) -> Bool {
    argument.hasPrefix("-") && argument.count > 1 && Double(argument) == nil
  }

  private mutating func scanOption(_ argument: String, _ rest: inout ArraySlice<String>) throws(Failure) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let option = Option(name: parts[0]) else {
      throw .unknown("option", parts[0], among: Option.allCases.map(\.rawValue))
    }
    guard let placeholder = option.placeholder else {
      guard parts.count == 1 else { throw .usage("\(parts[0]) takes no value: write it alone") }
      values[option] = ""
      return
    }
    if parts.count == 2 {
      values[option] = parts[1]
    } else if let next = rest.first, !next.hasPrefix("--") {
      values[option] = rest.removeFirst()
    } else {
      throw .usage("\(parts[0]) needs a value: write \(parts[0]) \(placeholder)")
    }
  }
}
