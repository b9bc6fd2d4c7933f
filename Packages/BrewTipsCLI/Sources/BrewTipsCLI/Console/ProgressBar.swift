import NetCore

/// How far a transfer has come, on one line of a terminal.
enum ProgressBar {
  /// What shows it: on standard error, and only when that is a terminal.
  static func forTerminal() -> ProgressObserver? {
    guard Console.terminalWidth() != nil else { return nil }
    return { updates in
      for await progress in updates {
        Console.redraw(line(progress, width: (Console.terminalWidth() ?? 80) - 1))
      }
      Console.redraw("")
    }
  }

  /// The line: a bar where there is room for one, then share, bytes, rate and time left, as far as they are known.
  ///
  ///     [#########-----------]  45 %  12.3 of 27.1 MB  4.5 MB/s  0:03 left
  ///
  /// - Parameter width: The most characters.
  static func line(_ progress: TransferProgress, width: Int) -> String {
    var parts: [String] = []
    if let fraction = progress.fraction { parts.append(padded("\(Int(fraction * 100))", to: 3) + " %") }
    parts.append(bytes(progress))
    if progress.bytesPerSecond > 0 { parts.append(size(progress.bytesPerSecond) + "/s") }
    if let left = progress.timeLeft { parts.append(time(left) + " left") }
    let text = parts.joined(separator: "  ")
    guard let fraction = progress.fraction, width >= text.count + shortestBar else { return String(text.prefix(width)) }
    let length = min(width - text.count - 4, longestBar)
    let filled = Int(fraction * Double(length))
    return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: length - filled) + "]  " + text
  }

  private static let shortestBar = 14
  private static let longestBar = 30
  private static let units = ["B", "kB", "MB", "GB", "TB"]

  private static func bytes(_ progress: TransferProgress) -> String {
    guard let total = progress.total else { return size(Double(progress.completed)) }
    let unit = unit(Double(total))
    return "\(number(Double(progress.completed), in: unit)) of \(number(Double(total), in: unit)) \(units[unit])"
  }

  /// `12.3 MB`.
  private static func size(_ bytes: Double) -> String {
    let unit = unit(bytes)
    return "\(number(bytes, in: unit)) \(units[unit])"
  }

  private static func unit(_ bytes: Double) -> Int {
    var (unit, rest) = (0, bytes)
    while rest >= 999.95, unit < units.count - 1 { (unit, rest) = (unit + 1, rest / 1_000) }
    return unit
  }

  /// One digit behind the point, but of bytes.
  private static func number(_ bytes: Double, in unit: Int) -> String {
    guard unit > 0 else { return "\(Int(bytes))" }
    let tenths = Int(((0..<unit).reduce(bytes) { rest, _ in rest / 1_000 } * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  /// `0:03`, `1:02:03`.
  private static func time(_ duration: Duration) -> String {
    let seconds = Int(duration.components.seconds) + (duration.components.attoseconds > 0 ? 1 : 0)
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
    let tail = padded("\(seconds % 60)", to: 2, with: "0")
    return hours > 0 ? "\(hours):\(padded("\(minutes)", to: 2, with: "0")):\(tail)" : "\(minutes):\(tail)"
  }

  private static func padded(_ text: String, to width: Int, with filler: String = " ") -> String {
    String(repeating: filler, count: max(0, width - text.count)) + text
  }
}
