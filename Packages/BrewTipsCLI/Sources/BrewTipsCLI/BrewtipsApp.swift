#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The app: reads the command line, does what it says, and turns whatever happens into an exit code.
@main enum BrewtipsApp {
  static func main() async {
    Console.prepare()
    let work = Task { await run() }
    let interruption = Interruption { work.cancel() }
    let code = await work.value
    interruption.end()
    exit(code.rawValue)
  }

  private static func run() async -> ExitCode {
    let recorder = CallRecorder()
    do {
      let environment = ProcessInfo.processInfo.environment
      switch try Invocation(parsing: commandLine(), environment: environment) {
      case .help: try Console.write(helpText)
      case .version: try Console.write("brewtips \(version)")
      case .command(let command, let settings):
        guard settings.drawsTrace else {
          try await command.run(settings, recorder: nil)
          break
        }
        // Drawn whether the command fails or not, and after what it prints.
        defer { Console.note(Waterfall(recorder.events).lines(isColored: Console.hasColors(environment))) }
        try await command.run(settings, recorder: recorder)
      }
      return .success
    } catch is CancellationError {
      return .interrupted
    } catch {
      let failure = error as? Failure ?? Failure(error)
      Console.complain(failure.lines)
      return failure.code
    }
  }

  /// The arguments as they were given. (`CommandLine.arguments` repairs what is not UTF-8, so that a file or user of another
  /// name would be meant.)
  private static func commandLine() throws -> [String] {
    try (1..<max(1, Int(CommandLine.argc))).compactMap { position in
      guard let bytes = CommandLine.unsafeArgv[position] else { return nil }
      guard let argument = String(validatingCString: bytes) else {
        throw Failure.usage("argument \(position) is not UTF-8: write it in UTF-8")
      }
      return argument
    }
  }
}
