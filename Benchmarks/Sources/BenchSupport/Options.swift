#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The command line of a benchmark: `ARM MODE URL [--requests N] [--in-flight N] [--warm-up N] [--file PATH]
/// [--ca-file PATH] [--entries N]`.
public struct Options: Sendable {
  /// What is done with the bodies of responses.
  public enum Mode: String, Sendable {
    /// Each is held in memory.
    case buffer
    /// Each is counted as it arrives.
    case stream
    /// Each is written to the file.
    case file
    /// Each is read slowly, as it arrives.
    case slow
    /// A gigabyte is sent, from a slow producer; by an arm for transfers, the file.
    case upload
    /// Each is held in memory, and nothing may stay there.
    case heap
  }

  /// What is measured, by the program's own names.
  public let arm: String
  /// What is done with the bodies.
  public let mode: Mode
  /// What is asked for.
  public let url: URL
  /// How many requests are measured. Default: 1.
  public let requests: Int
  /// How many of them are under way at a time. Default: 1.
  public let inFlight: Int
  /// How many are sent before, unmeasured. Default: none.
  public let warmUp: Int
  /// Where the mode `file` writes. Default: `/dev/null`.
  public let file: String
  /// How many responses a cache has. Default: 1,000.
  public let entries: Int
  /// The certificate authorities to trust; `nil` for the system's.
  public let caFile: String?

  /// The options on the command line; ends the process with a hint when they make no sense.
  public init() {
    let words = Array(CommandLine.arguments.dropFirst())
    guard words.count >= 3, let mode = Mode(rawValue: words[1]), let url = URL(string: words[2]) else {
      fatalError(
        """
        usage: ARM MODE URL [--requests N] [--in-flight N] [--warm-up N] [--file PATH] [--ca-file PATH] [--entries N]
        """)
    }
    var values: [String: String] = [:]
    for index in stride(from: 3, to: words.count - 1, by: 2) { values[words[index]] = words[index + 1] }
    arm = words[0]
    self.mode = mode
    self.url = url
    requests = values["--requests"].flatMap(Int.init) ?? 1
    inFlight = values["--in-flight"].flatMap(Int.init) ?? 1
    warmUp = values["--warm-up"].flatMap(Int.init) ?? 0
    file = values["--file"] ?? "/dev/null"
    entries = values["--entries"].flatMap(Int.init) ?? 1_000
    caFile = values["--ca-file"]
  }
}
