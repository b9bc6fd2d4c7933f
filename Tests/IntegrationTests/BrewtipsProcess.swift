import Foundation
import Synchronization
import Testing

/// The built app, as a user runs it.
enum Brewtips {
  /// How a run ended.
  struct Outcome: Sendable {
    let status: Int32
    let output: String
    let errors: String
  }

  /// The folder of the products, which holds this test bundle too.
  static let products: URL = {
    #if canImport(Darwin)
    // Not built by this project's CI, which runs on Linux.
    let bundle = Bundle.allBundles.first { $0.bundleURL.pathExtension == "xctest" } ?? .main
    return bundle.bundleURL.deletingLastPathComponent()
    #else
    return URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    #endif
  }()

  static let app = products.appending(path: "brewtips")

  /// Runs the app to its end.
  ///
  /// - Parameters:
  ///   - arguments: Its arguments.
  ///   - environment: What is added to an environment without `BREWTIPS_URL`, whose home folder is empty.
  ///   - output: Where standard output goes instead of ``Outcome/output``.
  ///   - whileRunning: What happens meanwhile.
  static func run(
    _ arguments: [String], environment: [String: String] = [:], output: FileHandle? = nil,
    whileRunning: (Child) async throws -> Void = { _ in }
  ) async throws -> Outcome {
    try await run(app, arguments, environment: environment, output: output, whileRunning: whileRunning)
  }

  /// Runs a shell script in which `$0` is the app.
  static func run(script: String) async throws -> Outcome {
    try await run(URL(filePath: "/bin/sh"), ["-c", script, app.path], environment: [:], output: nil) { _ in }
  }

  private static func run(
    _ executable: URL, _ arguments: [String], environment: [String: String], output: FileHandle?,
    whileRunning: (Child) async throws -> Void
  ) async throws -> Outcome {
    let folder = FileManager.default.temporaryDirectory.appending(path: "brewtips-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (outputFile, errorFile) = (folder.appending(path: "output"), folder.appending(path: "errors"))
    try Data().write(to: outputFile)
    try Data().write(to: errorFile)

    // So that no test comes near the state of the person who runs it.
    let home = ["HOME": folder.path, "XDG_STATE_HOME": folder.path]
    let child = Child(executable, arguments, environment: home.merging(environment) { $1 })
    let errors = try FileHandle(forWritingTo: errorFile)
    let status = try await child.run(
      output: output ?? FileHandle(forWritingTo: outputFile), errors: errors, whileRunning: whileRunning)
    return Outcome(
      status: status, output: String(decoding: try Data(contentsOf: outputFile), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: errorFile), as: UTF8.self))
  }
}

/// A process of another program. Waiting for it blocks no thread; it is killed when the task that runs it is cancelled.
final class Child: Sendable {
  private let process: Mutex<Process>
  private let end = AsyncStream.makeStream(of: Int32.self)

  init(_ executable: URL, _ arguments: [String], environment: [String: String] = [:]) {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "BREWTIPS_URL" }
      .merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.terminationHandler = { [end] process in
      // As a shell counts: 128 and the number of the signal.
      end.continuation.yield(
        process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus)
      end.continuation.finish()
    }
    self.process = Mutex(process)
  }

  /// Starts the process, does `whileRunning`, and returns its status once it has ended.
  func run(
    output: Any, errors: Any, whileRunning: (Child) async throws -> Void
  ) async throws -> Int32 {
    try process.withLock { process in
      process.standardOutput = output
      process.standardError = errors
      try withUnblockedSignals { try process.run() }
    }
    return try await withTaskCancellationHandler {
      do {
        try await whileRunning(self)
      } catch {
        kill()
        throw error
      }
      for await status in end.stream { return status }
      throw CancellationError()
    } onCancel: {
      kill()
    }
  }

  /// Sends SIGINT, as Ctrl-C does.
  func interrupt() {
    process.withLock { $0.interrupt() }
  }

  /// Asks the process to end.
  func kill() {
    process.withLock { $0.terminate() }
  }
}

/// Runs `body` with no signal blocked. A new process inherits what its parent's thread blocks, and the threads that run tasks
/// block nearly everything: their children could be neither interrupted nor asked to end.
private func withUnblockedSignals(_ body: () throws -> Void) rethrows {
  var (none, before) = (sigset_t(), sigset_t())
  sigemptyset(&none)
  pthread_sigmask(SIG_SETMASK, &none, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  try body()
}
