import Foundation
import TestSupport

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

  static let app = products.appending(path: "brewtips").path

  /// Runs the app to its end.
  ///
  /// - Parameters:
  ///   - arguments: Its arguments.
  ///   - environment: What is added to an environment without `BREWTIPS_URL`, whose home folder is empty.
  ///   - output: Where standard output goes instead of ``Outcome/output``.
  ///   - whileRunning: What happens meanwhile.
  static func run(
    _ arguments: [String], environment: [String: String] = [:], output: ChildProcess.Stream? = nil,
    whileRunning: (ChildProcess) async throws -> Void = { _ in }
  ) async throws -> Outcome {
    try await run(command: [app] + arguments, environment: environment, output: output, whileRunning: whileRunning)
  }

  /// Runs a shell script in which `$0` is the app.
  static func run(script: String) async throws -> Outcome {
    try await run(command: ["sh", "-c", script, app], environment: [:], output: nil) { _ in }
  }

  private static func run(
    command: [String], environment: [String: String], output: ChildProcess.Stream?,
    whileRunning: (ChildProcess) async throws -> Void
  ) async throws -> Outcome {
    let folder = try TemporaryFolder()
    let (outputFile, errorFile) = (try folder.write("", to: "output"), try folder.write("", to: "errors"))
    // So that no test comes near the state and the cache of the person who runs it.
    let home = [
      "HOME": folder.url.path, "XDG_STATE_HOME": folder.url.path, "XDG_CACHE_HOME": folder.url.path, "BREWTIPS_URL": "",
    ]
    let child = try ChildProcess(
      command, environment: home.merging(environment) { $1 }, output: output ?? .file(outputFile),
      errors: .file(errorFile))
    try await whileRunning(child)
    let status = await child.status()
    try Task.checkCancellation()
    return Outcome(
      status: status, output: String(decoding: try Data(contentsOf: URL(filePath: outputFile)), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: URL(filePath: errorFile)), as: UTF8.self))
  }
}
