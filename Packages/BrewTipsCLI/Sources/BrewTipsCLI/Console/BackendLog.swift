import NetCore

/// Writes what the server has to say to standard error: what is wrong, and its requests where they are wanted.
struct BackendLog: LogSink {
  let showsRequests: Bool

  func write(_ message: String, level: LogLevel) {
    if level >= .warning {
      Console.complain([message])
    } else if showsRequests {
      StandardErrorSink().write(message, level: level)
    }
  }
}
