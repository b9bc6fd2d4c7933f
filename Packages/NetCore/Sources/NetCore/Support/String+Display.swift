extension String {
  /// Safe to show on a screen or terminal: at most `limit` Unicode scalars, and none that controls the display (escape
  /// sequences, bidirectional overrides).
  func displayable(upTo limit: Int) -> String {
    let shown = unicodeScalars.lazy.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse: scalar == "\n"
      default: true
      }
    }
    return String(String.UnicodeScalarView(shown.prefix(limit)))
  }
}
