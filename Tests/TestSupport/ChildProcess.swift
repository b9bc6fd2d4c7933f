public import Foundation
import Synchronization

/// Another program, run by a test. It is killed when nobody holds it any more.
///
/// Started by `posix_spawn`, and waited for on a thread of its own. Foundation's `Process` will not do on Linux (Swift 6.3.1):
/// its `run()` crashes now and then when other threads open and close descriptors meanwhile, as tests of servers do all the
/// time; it blocks whoever waits; and its children inherit the blocked signals of the concurrency pool's threads.
public final class ChildProcess: Sendable {
  /// Where a standard stream goes.
  public enum Stream: Sendable {
    /// Nowhere.
    case null
    /// To a file, which is made or emptied.
    case file(String)
    /// To an open descriptor of the test's own.
    case descriptor(Int32)
    /// To ``ChildProcess/nextLine()``. For the output only.
    case lines
  }

  /// Could not be started.
  public struct StartFailure: Error, CustomStringConvertible {
    /// Which program, and why.
    public let description: String
  }

  /// The process's number.
  public let pid: pid_t
  private let ending: Ending
  private let lines: LineReader?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: The program, found on the PATH unless it has a slash, and its arguments.
  ///   - environment: What is added to the test's own environment; an empty value removes a variable.
  ///   - input: A file for standard input.
  public init(
    _ command: [String], environment: [String: String] = [:], input: String = "/dev/null", output: Stream = .null,
    errors: Stream = .null
  ) throws {
    let all = ProcessInfo.processInfo.environment.merging(["PATH": Self.path]) { $1 }
      .merging(environment) { $1 }.filter { !$0.value.isEmpty }
    var spawn = Spawn()
    spawn.open(0, input, O_RDONLY)
    let pipe = try spawn.attach(1, to: output)
    _ = try spawn.attach(2, to: errors)
    defer { if let pipe { close(pipe.writing) } }
    pid = try spawn.run(["/usr/bin/env"] + command, environment: all.map { "\($0.key)=\($0.value)" })
    ending = Ending(of: pid)
    lines = pipe.map { LineReader($0.reading) }
  }

  deinit {
    ending.send(SIGKILL)
  }

  /// Sends a signal, unless the process has ended.
  public func send(_ signal: Int32) {
    ending.send(signal)
  }

  /// Waits for the end. The process is killed when the task is cancelled, as a suite's time limit does.
  ///
  /// - Returns: The exit status, or as a shell counts: 128 and the number of the signal that ended it.
  public func status() async -> Int32 {
    await withTaskCancellationHandler {
      await ending.status()
    } onCancel: {
      ending.send(SIGKILL)
    }
  }

  /// The next line of the output; `nil` at its end. The process is killed when the task is cancelled.
  public func nextLine() async -> String? {
    await withTaskCancellationHandler {
      await lines?.next()
    } onCancel: {
      ending.send(SIGKILL)
    }
  }
}

extension ChildProcess {
  /// What a program left behind.
  public struct Outcome: Sendable {
    /// The exit status; 128 and the number of the signal that ended it.
    public let status: Int32
    /// The standard output.
    public let output: Data
    /// The standard error, as text.
    public let errors: String

    /// The standard output as text.
    public var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// Runs a program to its end.
  public static func run(
    _ command: [String], environment: [String: String] = [:], input: Data = Data()
  ) async throws -> Outcome {
    let folder = try TemporaryFolder()
    let inputFile = try folder.write(input, to: "input")
    let (output, errors) = (folder.path("output"), folder.path("errors"))
    let child = try ChildProcess(
      command, environment: environment, input: inputFile, output: .file(output), errors: .file(errors))
    let status = await child.status()
    return Outcome(
      status: status, output: try Data(contentsOf: URL(filePath: output)),
      errors: String(decoding: try Data(contentsOf: URL(filePath: errors)), as: UTF8.self))
  }

  /// Where programs are looked for: the PATH, and where Debian keeps servers, which is not on everybody's PATH.
  private static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin") + ":/usr/sbin"

  /// Whether a program is on the PATH.
  public static func isInstalled(_ program: String) -> Bool {
    path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
  }
}

/// The end of a process, which a thread waits for.
private final class Ending: Sendable {
  private struct State {
    var status: Int32?
    var waiters: [CheckedContinuation<Int32, Never>] = []
  }

  private let pid: pid_t
  private let state = Mutex(State())

  init(of pid: pid_t) {
    self.pid = pid
    Thread.detachNewThread { [self] in reap() }
  }

  private func reap() {
    var info = siginfo_t()
    // Ended, but not yet reaped: until then its number can be no other process's.
    while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    let (status, waiters) = state.withLock { state in
      var code: Int32 = 0
      while waitpid(pid, &code, 0) < 0, errno == EINTR {}
      let status = code & 0x7F == 0 ? (code >> 8) & 0xFF : 128 + (code & 0x7F)
      state.status = status
      defer { state.waiters = [] }
      return (status, state.waiters)
    }
    for waiter in waiters { waiter.resume(returning: status) }
  }

  func send(_ signal: Int32) {
    state.withLock { if $0.status == nil { kill(pid, signal) } }
  }

  func status() async -> Int32 {
    await withCheckedContinuation { continuation in
      let status = state.withLock { state in
        if state.status == nil { state.waiters.append(continuation) }
        return state.status
      }
      if let status { continuation.resume(returning: status) }
    }
  }
}

/// Reads lines from a pipe on a thread.
private final class LineReader: Sendable {
  private struct State {
    var lines: [String] = []
    var isAtEnd = false
    var waiter: CheckedContinuation<String?, Never>?
  }

  private let state = Mutex(State())

  init(_ descriptor: Int32) {
    Thread.detachNewThread { [self] in
      read(descriptor)
      close(descriptor)
    }
  }

  private func read(_ descriptor: Int32) {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = Foundation.read(descriptor, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      guard byte == UInt8(ascii: "\n") else {
        line.append(byte)
        continue
      }
      bring(String(decoding: line, as: UTF8.self))
      line = []
    }
    state.withLock { state in
      state.isAtEnd = true
      defer { state.waiter = nil }
      return state.waiter
    }?.resume(returning: nil)
  }

  private func bring(_ line: String) {
    state.withLock { state in
      if state.waiter == nil { state.lines.append(line) }
      defer { state.waiter = nil }
      return state.waiter
    }?.resume(returning: line)
  }

  func next() async -> String? {
    await withCheckedContinuation { continuation in
      let next: String?? = state.withLock { state in
        if !state.lines.isEmpty { return .some(state.lines.removeFirst()) }
        if state.isAtEnd { return .some(nil) }
        state.waiter = continuation
        return nil
      }
      if let next { continuation.resume(returning: next) }
    }
  }
}
