#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

private let posixWrite = write

/// The terminal, or whatever the two outputs lead to.
enum Console {
  /// Makes sure that a reader that has gone shows when writing, not as a sudden end; and that nothing opened later takes the
  /// place of a standard stream that is closed, since results would be written there.
  static func prepare() {
    signal(SIGPIPE, SIG_IGN)
    for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", mode)  // the wrong way round, so that using it still fails
    }
  }

  /// Writes a result to standard output, and a line feed.
  ///
  /// A reader that has gone, as in `brewtips users list | head -1`, has what it wanted: that is no failure.
  static func write(_ text: String) throws(Failure) {
    let problem = writeAll(text + "\n", to: STDOUT_FILENO)
    guard problem == 0 || problem == EPIPE else { throw .cannotWrite(String(cString: strerror(problem))) }
  }

  /// Writes to standard error, the first line after the app's name, the others indented.
  static func complain(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    let text = "brewtips: " + lines.map { $0.printable(upTo: 1_000) }.joined(separator: "\n  ")
    _ = writeAll(text + "\n", to: STDERR_FILENO)
  }

  /// Writes to standard error, the lines as they are.
  static func note(_ lines: [String]) {
    _ = writeAll(lines.map { $0 + "\n" }.joined(), to: STDERR_FILENO)
  }

  /// Whether standard error shows colours: a terminal does, unless the environment says no (https://no-color.org).
  static func hasColors(_ environment: [String: String]) -> Bool {
    isatty(STDERR_FILENO) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  /// How many characters a line of standard error has; `nil` when that is no terminal.
  static func terminalWidth() -> Int? {
    guard isatty(STDERR_FILENO) == 1 else { return nil }
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Replaces the line on the terminal.
  static func redraw(_ line: String) {
    _ = writeAll("\r\(line)\u{1B}[K", to: STDERR_FILENO)
  }

  /// Writes all of `text`; returns the error number, 0 when there was none.
  private static func writeAll(_ text: String, to descriptor: Int32) -> Int32 {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { posixWrite(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest.removeFirst(count)
      } else if errno == EAGAIN {
        // The output does not block, which whoever made it chose: wait until it takes more.
        var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&output, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
}
