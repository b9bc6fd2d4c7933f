#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TransportFailure: CustomStringConvertible {
  /// What happened, in a sentence for developers.
  public var description: String {
    switch self {
    case .nameResolution: "The host's name could not be resolved: check the URL's host and the DNS."
    case .connectionRefused: "The connection was refused: nothing listens at that address and port."
    case .unreachable: "The address could not be reached."
    case .offline: "The device has no network."
    case .connectionLost: "The connection broke before the response was complete."
    case .tls(let problem): "No secure connection: \(problem.explanation)"
    case .timedOut(.total): "The call took longer than its time limit."
    case .timedOut(let phase): "The time limit passed (\(phase.rawValue))."
    case .truncated: "The response was cut short."
    case .malformed: "The response breaks the rules of HTTP."
    case .proxy: "The proxy failed or refused the request."
    case .other: "The exchange failed."
    }
  }
}

extension TransportFailure.TLSProblem {
  /// What is wrong, and where there is something to do about it, what.
  fileprivate var explanation: String {
    switch self {
    case .untrusted: "the certificate comes from nobody that is trusted."
    case .expired: "the certificate is not valid at this time: check its dates, and the clock."
    case .wrongHost: "the certificate is for another host: check the URL's host."
    case .pinMismatch: "the server's key is none of those that are pinned."
    case .clientCertificate: "the server wants a client certificate, or did not accept the one it got."
    case .handshake: "the handshake failed: check that the server speaks TLS at that port."
    }
  }
}

extension APIError: LocalizedError {
  /// What happened, in a sentence for a person at a screen. A server's own message is used where it gave one.
  public var errorDescription: String? {
    if let text = serverMessage?.text, !text.isEmpty { return text }
    return switch kind {
    case .invalidURL, .invalidRequest, .unsupported: "The request could not be made."
    case .rejected(.queueFull), .rejected(.rateLimit): "Too many requests. Try again in a moment."
    case .rejected(.circuitOpen): "The server has a problem. Try again later."
    case .transport(.offline): "You appear to be offline."
    case .transport(.timedOut): "The server took too long to answer. Try again in a moment."
    case .transport(.tls): "A secure connection to the server could not be made."
    case .transport(.truncated), .transport(.malformed), .notHTTP, .redirect, .decoding, .noData, .tooLarge:
      "The server's answer could not be understood."
    case .transfer(.noSpace): "There is not enough room for the file."
    case .transfer(.busy): "The file is being downloaded already."
    case .transfer(.digestMismatch): "The file arrived damaged. Try again."
    case .transfer(.file): "The file could not be written."
    case .transport: "The server could not be reached. Check the connection and try again."
    case .unauthorized: "You are not signed in, or your session has ended."
    case .forbidden: "You are not allowed to do this."
    case .notFound: "What was asked for could not be found."
    case .rateLimited: "Too many requests. Try again in a moment."
    case .serverError: "The server has a problem. Try again later."
    case .otherStatus(let status): "The server refused the request (\(status))."
    }
  }

  /// What exactly went wrong: ``reason``.
  public var failureReason: String? { reason }
}

extension APIError: CustomStringConvertible, CustomDebugStringConvertible {
  /// The kind, the reason and the request, on one line.
  public var description: String {
    let place = request.map { " [\($0.method) \($0.url)]" } ?? ""
    return "\(kind.name): \(reason)\(place)"
  }

  /// All that is known and may be shown, over several lines.
  public var debugDescription: String {
    var lines = ["APIError.\(kind.name): \(reason)"]
    if let request { lines.append("  request: \(request.method) \(request.url) (\(request.endpointName))") }
    if let response {
      lines.append("  response: \(response)")
      if let message = response.message { lines.append("  server says: \(message)") }
      let type = response.fields[.contentType]
      if !response.body.isEmpty {
        lines.append(
          "  body: \(Redactor.standard.excerpt(of: response.body, contentType: type, isFailure: isBadStatus))")
      }
    } else if let decodingFailure {
      lines.append("  content: \(decodingFailure.excerpt)")
    }
    let sight = mayHaveReachedServer ? "the server may have seen the request" : "the server did not see the request"
    lines.append("  attempts: \(attempts); \(sight)")
    lines += failures.map { "    \($0)" }
    if let whyNotRetried { lines.append("  not retried: \(whyNotRetried)") }
    lines += redirects.map { "  redirect: \($0)" }
    return lines.joined(separator: "\n")
  }
}

extension APIError {
  /// Whether it is the status that failed the call.
  var isBadStatus: Bool {
    response.map { APIError.Kind(status: $0.status) == kind } ?? false
  }
}

extension APIError.Kind {
  /// The kind as it is written in code: `serverError(503)`, `transport(.timedOut(.total))`.
  var name: String {
    switch self {
    case .serverError(let status): "serverError(\(status.code))"
    case .otherStatus(let status): "otherStatus(\(status.code))"
    case .rejected(let rejection): "rejected(.\(rejection))"
    case .transport(let failure): "transport(.\(failure.name))"
    case .redirect(let failure): "redirect(.\(failure))"
    case .transfer(let failure): "transfer(.\(failure))"
    default: "\(self)"
    }
  }
}

extension TransportFailure {
  fileprivate var name: String {
    switch self {
    case .nameResolution: "nameResolution"
    case .connectionRefused: "connectionRefused"
    case .unreachable: "unreachable"
    case .offline: "offline"
    case .connectionLost: "connectionLost"
    case .tls(let problem): "tls(.\(problem))"
    case .timedOut(let phase): "timedOut(.\(phase))"
    case .truncated: "truncated"
    case .malformed: "malformed"
    case .proxy: "proxy"
    case .other: "other"
    }
  }
}
