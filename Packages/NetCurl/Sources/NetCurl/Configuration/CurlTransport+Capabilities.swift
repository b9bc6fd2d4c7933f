import CCurl

extension CurlTransport {
  /// What the linked libcurl can do, found at run time.
  public struct Capabilities: Sendable, Hashable {
    /// Its version, such as `7.88.1`.
    public let version: String
    /// Its TLS library with the version, such as `OpenSSL/3.0.19`; `nil` without one.
    public let tlsLibrary: String?
    /// Whether it speaks HTTP/2.
    public let http2: Bool
    /// Whether it connects to Unix sockets.
    public let unixSockets: Bool
    /// Whether it speaks to a proxy over TLS.
    public let httpsProxy: Bool
    /// Whether it decodes brotli (RFC 7932).
    public let brotli: Bool
    /// Whether it decodes zstd (RFC 8878).
    public let zstd: Bool
  }

  /// What the linked libcurl can do.
  public static let capabilities: Capabilities = {
    Libcurl.start()
    let info = curl_version_info(CURLVERSION_FOURTH)?.pointee
    func has(_ feature: Int32) -> Bool { (info?.features ?? 0) & feature != 0 }
    func text(_ bytes: UnsafePointer<CChar>?) -> String? { bytes.map { String(cString: $0) } }
    return Capabilities(
      version: text(info?.version) ?? "unknown", tlsLibrary: has(CURL_VERSION_SSL) ? text(info?.ssl_version) : nil,
      http2: has(CURL_VERSION_HTTP2), unixSockets: has(CURL_VERSION_UNIX_SOCKETS),
      httpsProxy: has(CURL_VERSION_HTTPS_PROXY), brotli: has(CURL_VERSION_BROTLI), zstd: has(CURL_VERSION_ZSTD))
  }()
}

/// The library as a whole.
enum Libcurl {
  /// Starts it, once for the process.
  static func start() { _ = started }

  /// Whether a connection of HTTP/2 by prior knowledge takes a second request. With 7.88 that one fails (curl's issue 10634).
  static let sharesPriorKnowledge = !CurlTransport.capabilities.version.hasPrefix("7.88.")

  private static let started: Void = {
    precondition(curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, "libcurl could not be started")
  }()
}
