import Foundation
import NetCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLError {
  /// The error of a session whose request a stub refuses.
  init(refusing problem: String) {
    self.init(.resourceUnavailable, userInfo: [NSLocalizedDescriptionKey: problem])
  }

  /// What a session fails with where a transport would fail with `error`; `nil` when it has no word for that.
  init?(sessionErrorFor error: any Error) {
    switch error {
    case is CancellationError: self.init(.cancelled)
    case let error as APIError where error.kind == .unsupported: self.init(refusing: error.reason)
    case let error as APIError:
      guard case .transport(let failure) = error.kind else { return nil }
      self.init(failure)
    default: return nil
    }
  }

  private init(_ failure: TransportFailure) {
    let code: Code =
      switch failure {
      case .nameResolution: .cannotFindHost
      case .connectionRefused, .unreachable: .cannotConnectToHost
      case .offline: .notConnectedToInternet
      case .connectionLost, .truncated: .networkConnectionLost
      case .tls(.expired): .serverCertificateHasBadDate
      case .tls(.untrusted), .tls(.wrongHost): .serverCertificateUntrusted
      case .tls(.clientCertificate): .clientCertificateRequired
      case .tls: .secureConnectionFailed
      case .timedOut: .timedOut
      case .malformed: .cannotParseResponse
      case .proxy, .other: .unknown
      }
    // For what has no code of its own, a session's message tells.
    let message = failure == .unreachable ? "Network is unreachable" : failure.description
    self.init(code, userInfo: [NSLocalizedDescriptionKey: message])
  }
}
