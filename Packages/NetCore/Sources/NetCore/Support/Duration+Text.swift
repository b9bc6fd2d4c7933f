extension Duration {
  /// The duration as a setting is written: `30 s`, `0.2 s`.
  var inUnits: String {
    let text = "\(inSeconds)"
    return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " s"
  }

  /// The duration for people, in the unit that suits it: `12.3 ms`, `1.50 s`.
  var readable: String {
    let (seconds, attoseconds) = components
    // Of a setting that means "for ever" only the seconds are shown: its microseconds are no number.
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (microseconds, isTooMuch) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    if isTooLong || isTooMuch { return "\(seconds) s" }
    return if microseconds < 1_000_000 {
      "\(microseconds / 1_000).\(microseconds / 100 % 10) ms"
    } else {
      "\(microseconds / 1_000_000).\(microseconds / 100_000 % 10)\(microseconds / 10_000 % 10) s"
    }
  }
}
