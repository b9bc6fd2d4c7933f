extension String {
  /// The text on one line, at most `limit` characters of it, without what could control a terminal.
  func printable(upTo limit: Int = .max) -> String {
    let scalars = unicodeScalars.lazy.compactMap { scalar -> Unicode.Scalar? in
      if scalar.properties.isWhitespace { return " " }
      return scalar.controlsDisplay ? nil : scalar
    }
    let text = String(String.UnicodeScalarView(scalars))
    return text.count > limit ? text.prefix(limit) + "…" : text
  }

  /// JSON with what could control a terminal written as escapes, which is the same JSON.
  var escapingControls: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.controlsDisplay {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether it is a control character, or changes the direction of text; those that join letters and emoji are harmless.
  fileprivate var controlsDisplay: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .privateUse: true
    case .format: self != "\u{200C}" && self != "\u{200D}"
    default: false
    }
  }
}
