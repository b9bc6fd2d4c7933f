/// Why a transport brought no response, or not all of one: the same words on every platform.
public enum TransportFailure: Sendable, Hashable {
  /// A part of an exchange that has a limit of its own.
  public enum Phase: String, Sendable, Hashable {
    /// Name lookup, connection and TLS handshake.
    case connect
    /// From the connection to the first byte of the response.
    case firstByte = "first byte"
    /// Between two bytes.
    case idle
    /// One attempt as a whole.
    case attempt
    /// The whole call.
    case total
  }

  /// What was wrong with a TLS connection.
  public enum TLSProblem: String, Sendable, Hashable {
    /// The certificate comes from nobody that is trusted.
    case untrusted
    /// The certificate is not valid at this time.
    case expired
    /// The certificate is for another host.
    case wrongHost = "wrong host"
    /// The server's key is none of those that were pinned.
    case pinMismatch = "pin mismatch"
    /// The server wants a client certificate, or did not accept the one it got.
    case clientCertificate = "client certificate"
    /// The handshake failed for another reason.
    case handshake
  }

  /// The host's name could not be resolved.
  case nameResolution
  /// Nothing listens at the address.
  case connectionRefused
  /// The address could not be reached.
  case unreachable
  /// The device has no network.
  case offline
  /// The connection broke, or was closed before the response.
  case connectionLost
  /// No secure connection.
  case tls(TLSProblem)
  /// A limit of time passed.
  case timedOut(Phase)
  /// The response ended before its end.
  case truncated
  /// The response breaks the rules of HTTP.
  case malformed
  /// The proxy failed or refused.
  case proxy
  /// Anything else.
  case other

  /// Whether such a failure proves that the server got no part of the request.
  var provesServerSawNothing: Bool {
    switch self {
    case .nameResolution, .connectionRefused, .unreachable, .offline, .tls, .timedOut(.connect): true
    default: false
    }
  }
}
