import Foundation
import Synchronization

/// Runs other people's programs (curl, Python) and waits for them without blocking a thread of the concurrency pool.
///
/// By `posix_spawn`: `Process.run()` of Foundation crashes now and then on Linux (Swift 6.3.1, a bad pointer in `memcpy`)
/// when other threads open and close descriptors meanwhile, as tests of servers do all the time.
enum ChildProcess {
  /// What a program left behind.
  struct Outcome: Sendable {
    /// The exit status; a signal's number plus 128 when one ended it.
    let status: Int32
    let output: Data
    let errors: String

    /// The standard output as text.
    var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// Could not run.
  struct Failure: Error {
    let code: Int32
  }

  /// Runs a program found on the path. Its input and output go through files, so that no pipe can fill up.
  ///
  /// The program is ended when the task is cancelled, as a suite's time limit does.
  static func run(_ program: String, _ arguments: [String], input: Data = Data()) async throws -> Outcome {
    let folder = FileManager.default.temporaryDirectory.appending(path: "child-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = ["input", "output", "errors"].map { folder.appending(path: $0) }
    try input.write(to: files[0])
    let pid = try spawn(["/usr/bin/env", program] + arguments, files: files.map(\.path))
    let status = await wait(for: pid)
    return Outcome(
      status: status, output: try Data(contentsOf: files[1]),
      errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self))
  }

  /// Starts a program with `files` for its standard input, output and error.
  private static func spawn(_ words: [String], files: [String]) throws -> pid_t {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, file) in files.enumerated() {
      let flags = descriptor == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC
      posix_spawn_file_actions_addopen(&actions, Int32(descriptor), file, flags, 0o600)
    }
    let arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var pid = pid_t()
    let code = posix_spawn(&pid, words[0], &actions, nil, arguments, environ)
    guard code == 0 else { throw Failure(code: code) }
    return pid
  }

  private static func wait(for pid: pid_t) async -> Int32 {
    let isRunning = Mutex(true)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          var info = siginfo_t()
          // Ended, but not yet reaped: until then its number can be no other process's.
          while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
          var status: Int32 = 0
          isRunning.withLock { isRunning in
            isRunning = false
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
          }
          continuation.resume(returning: status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F))
        }
      }
    } onCancel: {
      isRunning.withLock { if $0 { kill(pid, SIGTERM) } }
    }
  }
}
