import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CurlTransport.Configuration {
  /// - Throws: `APIError` of kind `invalidRequest` for a setting out of its bounds, of kind `unsupported` for what the
  ///   linked libcurl cannot do.
  func validate() throws {
    for limit in limits.all where limit <= .zero {
      throw Self.refusal("A time limit of \(limit) leaves no time: give one above zero, or nil for none.")
    }
    try check(connections.perHost, "connections.perHost", isIn: 1...65_535)
    try check(connections.total, "connections.total", isIn: 1...65_535)
    try check(bufferSize, "bufferSize", isIn: (16 << 10)...(512 << 10))
    try check(maximumHeadSize, "maximumHeadSize", isIn: 1...300_000)
    try check(threads, "threads", isIn: 1...64)
    guard connections.idleLifetime > .zero else {
      throw Self.refusal("connections.idleLifetime must be above zero.")
    }
    guard nameCacheLifetime >= .zero else { throw Self.refusal("nameCacheLifetime must not be negative.") }
    if let decoding, decoding.maximumSize < 1 || decoding.maximumRatio < 1 {
      throw Self.refusal("The limits of decoding must be 1 or more.")
    }
    try validateCapabilities()
    try tls.validate()
    try proxy.validate()
  }

  private func validateCapabilities() throws {
    let capabilities = CurlTransport.capabilities
    if httpVersions == .http2WithPriorKnowledge, !capabilities.http2 {
      throw APIError(.unsupported, reason: "libcurl \(capabilities.version) does not speak HTTP/2.")
    }
    if let unixSocket {
      guard capabilities.unixSockets else {
        throw APIError(.unsupported, reason: "libcurl \(capabilities.version) does not connect to Unix sockets.")
      }
      guard !unixSocket.isEmpty, !unixSocket.utf8.contains(0) else {
        throw Self.refusal("unixSocket is not a path.")
      }
    }
  }

  private func check(_ value: Int, _ name: String, isIn bounds: ClosedRange<Int>) throws {
    guard bounds.contains(value) else {
      throw Self.refusal("\(name) is \(value): give a number from \(bounds.lowerBound) to \(bounds.upperBound).")
    }
  }

  fileprivate static func refusal(_ reason: String) -> APIError {
    APIError(.invalidRequest, reason: reason)
  }
}

extension CurlTransport.TLS {
  fileprivate func validate() throws {
    for pin in pins {
      guard pin.hasPrefix("sha256/"), Data(base64Encoded: String(pin.dropFirst("sha256/".count)))?.count == 32 else {
        throw CurlTransport.Configuration.refusal("\(pin) is not a pin: write sha256/ and the Base64 of 32 bytes.")
      }
    }
    if case .file(let path) = trustRoots { try Self.checkReadable(path) }
    if let identity {
      try Self.checkReadable(identity.certificate)
      try Self.checkReadable(identity.key)
    }
  }

  private static func checkReadable(_ path: String) throws {
    guard !path.utf8.contains(0), FileManager.default.isReadableFile(atPath: path) else {
      throw CurlTransport.Configuration.refusal("The file \(path) cannot be read.")
    }
  }
}

extension CurlTransport.Proxy {
  fileprivate func validate() throws {
    guard case .server(let server) = self else { return }
    let scheme = server.url.scheme?.lowercased() ?? ""
    guard ["http", "https", "socks5", "socks5h"].contains(scheme), server.url.host() != nil else {
      throw CurlTransport.Configuration.refusal(
        "The proxy's URL must be http, https, socks5 or socks5h, with a host.")
    }
    guard server.url.user() == nil, server.url.password() == nil else {
      throw CurlTransport.Configuration.refusal("Give the proxy's user and password as credentials, not in its URL.")
    }
    if scheme == "https", !CurlTransport.capabilities.httpsProxy {
      throw APIError(.unsupported, reason: "This libcurl cannot speak to a proxy over TLS.")
    }
    let texts = server.exceptions + [server.credentials?.user, server.credentials?.password].compactMap(\.self)
    guard !texts.contains(where: { $0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }) else {
      throw CurlTransport.Configuration.refusal("The proxy's settings have a control character.")
    }
  }
}
