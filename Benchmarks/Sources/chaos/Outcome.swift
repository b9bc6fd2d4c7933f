import NetCore

/// How a request ended.
enum Outcome: Hashable, Sendable {
  /// With the content that was expected, every byte of it.
  case whole
  /// The reader dropped the body after its first chunk.
  case dropped
  /// With `CancellationError`.
  case cancelled
  case failed(APIError.Kind)
  /// With content that is not the server's.
  case wrongContent
  /// With an error that is neither ``APIError`` nor `CancellationError`.
  case foreignError(String)

  init(_ error: any Error) {
    switch error {
    case is CancellationError: self = .cancelled
    case let error as APIError: self = .failed(error.kind)
    default: self = .foreignError("\(type(of: error))")
    }
  }

  /// Whether `plan` may end this way.
  func isDocumented(for plan: Plan) -> Bool {
    switch self {
    case .whole: plan.trouble.mayBeWhole
    case .dropped: plan.reading == .dropped
    case .cancelled: plan.cancellation != nil
    // Any connection that was kept may turn out to be dead, since this server hangs up as it likes.
    case .failed(.transport(.connectionLost)): true
    case .failed(.transport(.timedOut(.total))): plan.timeout != nil && plan.isClients
    case .failed(let kind):
      plan.trouble.failures.contains(kind) || (plan.reading == .typed && plan.trouble.refusal == kind)
    case .wrongContent, .foreignError: false
    }
  }
}

extension Plan {
  /// Whether a client sends it.
  fileprivate var isClients: Bool { reading == .typed || reading == .opened }
}

extension Outcome: CustomStringConvertible {
  var description: String {
    switch self {
    case .whole: "whole"
    case .dropped: "dropped"
    case .cancelled: "cancelled"
    case .wrongContent: "WRONG CONTENT"
    case .foreignError(let name): "error \(name)"
    case .failed(.transport(.timedOut(let phase))): "timed out (\(phase.rawValue))"
    case .failed(.transport(.connectionLost)): "connection lost"
    case .failed(.transport(.truncated)): "cut short"
    case .failed(.transport(.malformed)): "malformed"
    case .failed(.transport(let failure)): "\(failure)"
    case .failed(.serverError(let status)), .failed(.otherStatus(let status)): "status \(status.code)"
    case .failed(let kind): "\(kind)"
    }
  }
}
