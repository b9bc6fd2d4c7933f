import NetCore

/// Writes what the server and the cache have to say to standard error: what is wrong, and requests where they are wanted.
struct ConsoleLog: LogSink {
  var showsRequests = false

  func write(_ message: String, level: LogLevel) {
    if level >= .warning {
      Console.complain([message])
    } else if showsRequests {
      StandardErrorSink().write(message, level: level)
    }
  }
}
