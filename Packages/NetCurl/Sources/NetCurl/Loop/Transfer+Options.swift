import CCurl
import CCurlShim
import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Transfer {
  /// The most bytes libcurl reads from a socket at once: 100 KiB, just below the size from which malloc asks the system for
  /// fresh pages each time.
  private static let receiveSize = 100 << 10

  /// The options all transfers share.
  func configure(_ configuration: CurlTransport.Configuration) throws {
    try Libcurl.check(netcurl_set_basics(easy))
    try setLong(CURLOPT_NOSIGNAL, 1)
    try setLong(CURLOPT_FOLLOWLOCATION, 0)
    try setLong(CURLOPT_PATH_AS_IS, 1)
    try setLong(CURLOPT_NETRC, 0)
    // Content without a head is let through, to be refused by `receive(body:)`: libcurl's own error is not only for this.
    try setLong(CURLOPT_HTTP09_ALLOWED, 1)
    try setLong(CURLOPT_TCP_NODELAY, 1)
    try setLong(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try setLong(CURLOPT_BUFFERSIZE, min(configuration.bufferSize, Self.receiveSize))
    try setLong(CURLOPT_UPLOAD_BUFFERSIZE, min(configuration.bufferSize, 64 << 10))
    try setLong(CURLOPT_DNS_CACHE_TIMEOUT, Int(configuration.nameCacheLifetime.components.seconds))
    try setLong(CURLOPT_MAXAGE_CONN, max(1, Int(configuration.connections.idleLifetime.components.seconds)))
    // The loop keeps the limits of time. libcurl is told this one to share it among a host's addresses; its own is 300 s.
    let connectLimit = configuration.limits.connect?.milliseconds ?? Int64(Int32.max)
    try setLong(CURLOPT_CONNECTTIMEOUT_MS, Int(min(max(connectLimit, 1), Int64(Int32.max))))
    try configure(configuration.httpVersions)
    switch configuration.addressFamily {
    case .any: break
    case .ipv4: try setLong(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
    case .ipv6: try setLong(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
    }
    if let path = configuration.unixSocket { try setText(CURLOPT_UNIX_SOCKET_PATH, path) }
    try configure(configuration.tls)
    try configure(configuration.proxy)
  }

  private func configure(_ versions: CurlTransport.HTTPVersions) throws {
    switch versions {
    case .http1:
      try setLong(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    case .http2OverTLS where CurlTransport.capabilities.http2:
      try setLong(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    case .http2OverTLS:
      try setLong(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    case .http2WithPriorKnowledge:
      try setLong(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
      guard !Libcurl.sharesPriorKnowledge else { break }
      try setLong(CURLOPT_FRESH_CONNECT, 1)
      try setLong(CURLOPT_FORBID_REUSE, 1)
    }
  }

  private func configure(_ tls: CurlTransport.TLS) throws {
    let version = tls.minimumVersion == .tls12 ? CURL_SSLVERSION_TLSv1_2 : CURL_SSLVERSION_TLSv1_3
    try setLong(CURLOPT_SSLVERSION, Int(version))
    if case .file(let path) = tls.trustRoots {
      try setText(CURLOPT_CAINFO, path)
      try setPointer(CURLOPT_CAPATH, nil)
    }
    if tls.verification == .dangerouslyDisabled {
      try setLong(CURLOPT_SSL_VERIFYPEER, 0)
      try setLong(CURLOPT_SSL_VERIFYHOST, 0)
    }
    if !tls.pins.isEmpty {
      let keys = tls.pins.map { "sha256//" + $0.dropFirst("sha256/".count) }
      try setText(CURLOPT_PINNEDPUBLICKEY, keys.joined(separator: ";"))
    }
    if let identity = tls.identity {
      try setText(CURLOPT_SSLCERT, identity.certificate)
      try setText(CURLOPT_SSLKEY, identity.key)
      if let password = identity.password { try setText(CURLOPT_KEYPASSWD, password) }
    }
  }

  private func configure(_ proxy: CurlTransport.Proxy) throws {
    switch proxy {
    case .environment:
      break
    case .none:
      try setText(CURLOPT_PROXY, "")
    case .server(let server):
      try setText(CURLOPT_PROXY, server.url.absoluteString)
      try setText(CURLOPT_NOPROXY, server.exceptions.joined(separator: ","))
      guard let credentials = server.credentials else { break }
      try setLong(CURLOPT_PROXYAUTH, 1)  // CURLAUTH_BASIC, whose macro Swift cannot read.
      try setText(CURLOPT_PROXYUSERNAME, credentials.user)
      try setText(CURLOPT_PROXYPASSWORD, credentials.password)
    }
  }

  /// The options of one request. Each is set whatever the handle was used for before.
  func configure(_ request: WireRequest, headers: UnsafeMutablePointer<curl_slist>?) throws {
    try setText(CURLOPT_URL, request.url)
    try setPointer(CURLOPT_HTTPHEADER, headers)
    // The empty text stands for all codings that libcurl knows.
    try request.decoding?.decoder == .libcurl
      ? setText(CURLOPT_ACCEPT_ENCODING, "") : setPointer(CURLOPT_ACCEPT_ENCODING, nil)
    // Resets what the other kinds of request set.
    try setLong(CURLOPT_HTTPGET, 1)
    let impliedMethod: HTTPRequest.Method
    switch request.content {
    case .none:
      if request.method == .head { try setLong(CURLOPT_NOBODY, 1) }
      impliedMethod = request.method == .head ? .head : .get
    case .bytes(let bytes):
      try setOffset(CURLOPT_POSTFIELDSIZE_LARGE, Int64(bytes.count))
      // Without bytes there is no address, which libcurl would take for none given.
      try bytes.withUnsafeBytes { content in
        try withUnsafeBytes(of: 0) { try setPointer(CURLOPT_COPYPOSTFIELDS, content.baseAddress ?? $0.baseAddress) }
      }
      impliedMethod = .post
    case .memory(let bytes):
      try prepareUpload(length: Int64(bytes.count))
      impliedMethod = .put
    case .feed(_, let length):
      try prepareUpload(length: length ?? -1)
      impliedMethod = .put
    }
    if request.method == impliedMethod {
      try setPointer(CURLOPT_CUSTOMREQUEST, nil)
    } else {
      try setText(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }
  }

  private func prepareUpload(length: Int64) throws {
    try setLong(CURLOPT_UPLOAD, 1)
    try setOffset(CURLOPT_INFILESIZE_LARGE, length)
  }

  func setLong(_ option: CURLoption, _ value: Int) throws {
    try Libcurl.check(netcurl_set_long(easy, option, value))
  }

  func setOffset(_ option: CURLoption, _ value: Int64) throws {
    try Libcurl.check(netcurl_set_offset(easy, option, value))
  }

  func setText(_ option: CURLoption, _ value: String) throws {
    try Libcurl.check(value.withCString { netcurl_set_pointer(easy, option, $0) })
  }

  func setPointer(_ option: CURLoption, _ value: UnsafeRawPointer?) throws {
    try Libcurl.check(netcurl_set_pointer(easy, option, value))
  }
}
