import Foundation
import NetCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension APIError {
  /// What a session's error means, in the words of every transport.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - afterHead: Whether the response's head had come.
  ///   - mayBeSecondConnection: Whether a connection to the origin may have been kept from before. When that breaks, the
  ///     system connects again by itself: a failure to connect then does not prove that the server saw nothing.
  init(sessionError error: any Error, afterHead: Bool, mayBeSecondConnection: Bool) {
    guard let error = error as? URLError else {
      self = .transport(.other, because: error, code: "\(type(of: error))", mayHaveArrived: true)
      return
    }
    let code = "URLError \(error.errorCode)"
    switch Self.kind(of: error) {
    case .transport(.connectionLost) where afterHead:
      self = .transport(.truncated, because: error, code: code, mayHaveArrived: true)
    case .transport(let failure):
      // A server may ask for a client certificate after the handshake, when the request is on its way.
      let mayHaveArrived = mayBeSecondConnection || failure == .tls(.clientCertificate)
      self = .transport(failure, because: error, code: code, mayHaveArrived: mayHaveArrived)
    case let kind:
      self.init(kind, reason: "\(Self.reason(of: kind)) (\(code))", underlying: error)
    }
  }

  private static func transport(
    _ failure: TransportFailure, because error: any Error, code: String, mayHaveArrived: Bool
  ) -> APIError {
    APIError(
      .transport(failure), reason: "\(failure) (\(code))", mayHaveReachedServer: mayHaveArrived ? true : nil,
      underlying: error)
  }

  private static func reason(of kind: Kind) -> String {
    switch kind {
    case .invalidURL: "URLSession does not accept the URL."
    case .invalidRequest: "The file that is the request's body could not be read."
    case .notHTTP: "What answered does not speak HTTP."
    case .tooLarge: "The response's head is larger than URLSession accepts."
    default: "App Transport Security refuses a connection without TLS: use https, or allow the host in Info.plist."
    }
  }

  private static func kind(of error: URLError) -> Kind {
    switch error.code {
    case .badURL: .invalidURL
    case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile: .invalidRequest
    case .appTransportSecurityRequiresSecureConnection: .unsupported
    // The scheme was checked before: on Linux this is an answer that is not HTTP.
    case .unsupportedURL: .notHTTP
    case .unknown: Self.kind(ofMessage: error.localizedDescription.lowercased())
    case .cannotConnectToHost: .transport(TransportFailure(connecting: error.localizedDescription))
    case .timedOut: .transport(.timedOut(TransportFailure.timeoutPhase(error.localizedDescription)))
    default: .transport(TransportFailure(error.code))
    }
  }
}

extension APIError {
  /// A message of libcurl's is all that tells failures of "unknown" code apart on Linux.
  private static func kind(ofMessage message: String) -> Kind {
    let isHeadTooLarge = message.contains("too large response headers") || message.contains("out of memory")
    return isHeadTooLarge ? .tooLarge : .transport(TransportFailure(message: message))
  }
}

extension TransportFailure {
  /// The failure that a code stands for.
  fileprivate init(_ code: URLError.Code) {
    self =
      switch code {
      case .cannotFindHost, .dnsLookupFailed: .nameResolution
      case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive: .offline
      case .networkConnectionLost, .badServerResponse, .zeroByteResource: .connectionLost
      case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData: .malformed
      case .secureConnectionFailed: .tls(.handshake)
      case .serverCertificateHasBadDate, .serverCertificateNotYetValid: .tls(.expired)
      case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot: .tls(.untrusted)
      case .clientCertificateRejected, .clientCertificateRequired: .tls(.clientCertificate)
      default: .other
      }
  }

  /// Why no connection was made, by the system's message; refused when it does not say.
  fileprivate init(connecting message: String) {
    let message = message.lowercased()
    let isUnreachable = ["unreachable", "no route", "not permitted"].contains { message.contains($0) }
    self = isUnreachable ? .unreachable : .connectionRefused
  }

  fileprivate static func timeoutPhase(_ message: String) -> Phase {
    message.lowercased().contains("connect") ? .connect : .idle
  }

  /// The failure that a message of libcurl's, in lower case, stands for. The first match counts.
  fileprivate init(message: String) {
    self = Self.messages.first { message.contains($0.part) }?.failure ?? .other
  }

  private static let messages: [(part: String, failure: TransportFailure)] = [
    ("proxy", .proxy),
    ("certificate has expired", .tls(.expired)),
    ("certificate is not yet valid", .tls(.expired)),
    ("subject name", .tls(.wrongHost)),
    ("certificate required", .tls(.clientCertificate)),
    ("alert bad certificate", .tls(.clientCertificate)),
    ("certificate problem", .tls(.untrusted)),
    // The connection broke while it was in use.
    ("ssl_read", .connectionLost),
    ("ssl_write", .connectionLost),
    ("ssl connect", .tls(.handshake)),
    ("tls connect", .tls(.handshake)),
    ("ssl_connect", .tls(.handshake)),
    ("ssl routines", .tls(.handshake)),
    ("remaining to read", .truncated),
    ("outstanding read data", .truncated),
    ("http/2 stream", .connectionLost),
    ("send failure", .connectionLost),
    ("recv failure", .connectionLost),
    ("connection died", .connectionLost),
    ("encoding", .malformed),
    ("header", .malformed),
    ("colon", .malformed),
    ("content-length", .malformed),
  ]
}
