/// How the process ends: the numbers of `sysexits.h`, and the shell's for an interruption.
enum ExitCode: Int32, CaseIterable {
  case success = 0
  case usage = 64
  case badAnswer = 65
  case unavailable = 69
  case bug = 70
  case cannotWrite = 73
  case tryAgain = 75
  case notSignedIn = 77
  case configuration = 78
  case interrupted = 130

  /// When it is used, for the help.
  var summary: String {
    switch self {
    case .success: "all is well; also when today shows a tip of our own because the server failed"
    case .usage: "the command line is wrong"
    case .badAnswer: "the server's answer could not be understood"
    case .unavailable: "the server could not be reached or started, failed or refused"
    case .bug: "a bug in brewtips"
    case .cannotWrite: "the result could not be written, or the cache not be used"
    case .tryAgain: "the time was up, or the server is busy: try again later"
    case .notSignedIn: "not signed in, or not allowed"
    case .configuration: "the configuration is wrong"
    case .interrupted: "interrupted by Ctrl-C; serve ends with 0"
    }
  }
}
