#if canImport(os)
import Darwin
import os
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

private let posixWrite = write

/// How much a line of the log matters.
public enum LogLevel: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// What goes out and comes in, with fields and bodies.
  case debug
  /// One line a response.
  case info
  /// An attempt failed, or is repeated.
  case warning
  /// A call failed.
  case error

  /// Whether `one` matters less than `other`.
  public static func < (one: LogLevel, other: LogLevel) -> Bool {
    one.rawValue < other.rawValue
  }
}

/// Where a log goes.
public protocol LogSink: Sendable {
  /// Takes one message, of one or more lines. It may come from any thread and must return quickly.
  func write(_ message: String, level: LogLevel)
}

/// Writes to the process's standard error, a message at a time.
public struct StandardErrorSink: LogSink {
  /// The sink.
  public init() {}

  /// Writes `message` and a line feed in one call, so that messages of several threads do not mix.
  public func write(_ message: String, level: LogLevel) {
    var rest = Array((message + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { posixWrite(STDERR_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest.removeFirst(count)
    }
  }
}

#if canImport(os)
// Not built by this project's CI, which runs on Linux.
/// Writes to the unified log of Apple platforms. Messages are public there: they are redacted already.
public struct UnifiedLogSink: LogSink {
  private let logger: Logger

  /// A sink for a subsystem and category of the unified log.
  public init(subsystem: String = "NetCore", category: String = "http") {
    logger = Logger(subsystem: subsystem, category: category)
  }

  /// Writes `message` at the level of the unified log that means the same.
  public func write(_ message: String, level: LogLevel) {
    switch level {
    case .debug: logger.debug("\(message, privacy: .public)")
    case .info: logger.info("\(message, privacy: .public)")
    case .warning: logger.warning("\(message, privacy: .public)")
    case .error: logger.error("\(message, privacy: .public)")
    }
  }
}
#endif
