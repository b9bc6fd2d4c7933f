import BrewTipsBackend
import NetCacheSQLite
import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Why a run failed: its exit code, and one or two lines for the person at the terminal.
struct Failure: Error, Equatable {
  let code: ExitCode
  let lines: [String]

  private init(_ code: ExitCode, _ lines: String...) {
    self.code = code
    self.lines = lines
  }

  static func usage(_ line: String) -> Failure {
    Failure(.usage, line)
  }

  static func configuration(_ line: String) -> Failure {
    Failure(.configuration, line)
  }

  /// Nothing is stored that `--offline` could answer with.
  static let notStored = Failure(
    .unavailable, "No answer to this is stored, and --offline asks no server: leave it out.")

  static func cannotWrite(_ reason: String) -> Failure {
    Failure(.cannotWrite, "cannot write to standard output: \(reason)")
  }

  /// A failed call or start of the server, or else an error that nobody has foreseen.
  init(_ error: any Error) {
    if let error = error as? BackendStartError {
      self.init(.unavailable, error.description)
      return
    }
    if let error = error as? SQLiteCacheError {
      self.init(.cannotWrite, "the cache cannot be used: \(error.description)")
      return
    }
    guard let error = error as? APIError else {
      self.init(.bug, "this is a bug in brewtips: nobody expected a \(type(of: error)) here")
      return
    }
    let place = error.request.map { "\($0.method) \($0.url): " } ?? ""
    self.init(ExitCode(for: error.kind), error.errorDescription ?? "the call failed", place + error.reason)
  }
}

extension ExitCode {
  /// The code for a failed call.
  init(for kind: APIError.Kind) {
    self =
      switch kind {
      case .decoding, .noData, .notHTTP, .redirect, .tooLarge, .transport(.malformed),
        .transfer(.digestMismatch):
        .badAnswer
      case .transport(.timedOut), .rateLimited, .rejected, .serverError(503), .serverError(504), .otherStatus(408),
        .transfer(.busy):
        .tryAgain
      case .transfer(.noSpace), .transfer(.file): .cannotWrite
      case .unauthorized, .forbidden: .notSignedIn
      case .unsupported: .configuration
      case .invalidURL, .invalidRequest: .bug
      case .transport, .notFound, .serverError, .otherStatus: .unavailable
      }
  }

  /// Whether it is the server's or the network's fault, so that a tip of our own is better than none.
  var isServersFault: Bool {
    switch self {
    case .badAnswer, .unavailable, .tryAgain, .notSignedIn: true
    default: false
    }
  }
}
