#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CurlTransport: CustomStringConvertible {
  /// The main settings on one line, without secrets: `CurlTransport, HTTP/2 over TLS, TLS 1.2 or later, connect 10 s, first
  /// byte 60 s, idle 60 s, 64 exchanges a host`.
  public var description: String {
    let limits = configuration.limits
    let times = [
      ("connect", limits.connect), ("first byte", limits.firstByte), ("idle", limits.idle), ("attempt", limits.attempt),
    ].compactMap { name, limit in limit.map { "\(name) \($0.inUnits)" } }
    let parts =
      ["CurlTransport", configuration.httpVersions.text, configuration.tls.text]
      + [configuration.proxy.text, configuration.unixSocket.map { "over the socket \($0)" }].compactMap(\.self)
      + times + ["\(configuration.connections.perHost) exchanges a host"]
    return parts.joined(separator: ", ")
  }
}

extension CurlTransport.HTTPVersions {
  fileprivate var text: String {
    switch self {
    case .http1: "HTTP/1.1"
    case .http2OverTLS: "HTTP/2 over TLS"
    case .http2WithPriorKnowledge: "HTTP/2"
    }
  }
}

extension CurlTransport.TLS {
  fileprivate var text: String {
    let version = minimumVersion == .tls12 ? "TLS 1.2 or later" : "TLS 1.3 or later"
    let parts = [
      version, verification == .dangerouslyDisabled ? "NOT VERIFIED" : nil,
      trustRoots == .system ? nil : "own trust roots", pins.isEmpty ? nil : "pinned",
      identity == nil ? nil : "client certificate",
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}

extension CurlTransport.Proxy {
  fileprivate var text: String? {
    switch self {
    case .none: nil
    case .environment: "proxy of the environment"
    case .server(let server): "proxy \(server.url.host() ?? "")\(server.url.port.map { ":\($0)" } ?? "")"
    }
  }
}

extension Duration {
  /// `10 s`, `0.5 s`
  fileprivate var inUnits: String {
    let text = "\(self / .seconds(1))"
    return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " s"
  }
}
