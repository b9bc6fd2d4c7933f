import CCurl
import CCurlShim
import NetCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What a libcurl error means.
struct CurlFailure {
  let code: CURLcode
  /// What libcurl says about it.
  let text: String
  let easy: UnsafeMutableRawPointer
  let wasRequestSent: Bool
  /// Whether nothing of a response's head has come.
  let isHeadEmpty: Bool
  let isHeadComplete: Bool

  var error: APIError {
    APIError(kind, reason: reason, mayHaveReachedServer: mayHaveReachedServer)
  }

  /// libcurl connects again by itself when a reused connection broke, so that a failed handshake proves nothing.
  private var mayHaveReachedServer: Bool { wasRequestSent }

  private var reason: String {
    let readable = text.unicodeScalars.filter { (0x20...0x7E).contains($0.value) }.prefix(200)
    let said = String(String.UnicodeScalarView(readable))
    let detail = said.isEmpty ? String(cString: curl_easy_strerror(code)) : said
    let summary = if case .transport(let failure) = kind { failure.description } else { "The exchange failed." }
    return "\(summary) (libcurl \(code.rawValue): \(detail))"
  }

  private var kind: APIError.Kind {
    switch code {
    case CURLE_URL_MALFORMAT: .invalidURL
    case CURLE_UNSUPPORTED_PROTOCOL where wasRequestSent: says("HTTP/0.9") ? .notHTTP : .transport(.malformed)
    // libcurl's wordless refusal of content without a head when it wants none, as with HEAD.
    case CURLE_WEIRD_SERVER_REPLY where isHeadEmpty && text.isEmpty: .notHTTP
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_NOT_BUILT_IN: .unsupported
    case CURLE_OUT_OF_MEMORY, Self.tooLarge: isHeadComplete ? .transport(.other) : .tooLarge
    default: .transport(failure)
    }
  }

  /// `CURLE_TOO_LARGE`, which older headers lack: with the other, what libcurl says to a header line over its own limit.
  private static let tooLarge = CURLcode(100)

  private var failure: TransportFailure {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: .nameResolution
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .proxy
    case CURLE_COULDNT_CONNECT: connectFailure
    case CURLE_OPERATION_TIMEDOUT: .timedOut(.connect)  // The one limit of time that libcurl is given.
    case CURLE_PARTIAL_FILE: .truncated
    case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: .malformed
    case CURLE_RECV_ERROR: receiveFailure
    case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND, CURLE_ABORTED_BY_CALLBACK: .connectionLost
    case CURLE_HTTP2, CURLE_HTTP2_STREAM: http2Failure
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CONNECT_ERROR,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT, CURLE_SSL_CIPHER,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED:
      .tls(tlsProblem)
    default: .other
    }
  }

  private var connectFailure: TransportFailure {
    switch Int32(netcurl_get_long(easy, CURLINFO_OS_ERRNO)) {
    case ECONNREFUSED: .connectionRefused
    case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL: .unreachable
    case ETIMEDOUT: .timedOut(.connect)
    default: says("proxy") ? .proxy : .unreachable
    }
  }

  /// libcurl has one code for a connection that breaks, for chunks that are none, and for a proxy that refuses.
  private var receiveFailure: TransportFailure {
    if !wasRequestSent, netcurl_get_long(easy, CURLINFO_HTTP_CONNECTCODE) > 0 { return .proxy }
    if says("certificate required") || says("bad certificate") { return .tls(.clientCertificate) }
    if says("chunk") || says("header") { return .malformed }
    return .connectionLost
  }

  private var http2Failure: TransportFailure {
    says("PROTOCOL_ERROR") && !says("closed cleanly") ? .malformed : isHeadComplete ? .truncated : .connectionLost
  }

  private var tlsProblem: TransportFailure.TLSProblem {
    switch code {
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .pinMismatch
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT: .clientCertificate
    case CURLE_PEER_FAILED_VERIFICATION: verificationProblem
    case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR: .untrusted
    default: says("certificate required") || says("handshake failure") ? .clientCertificate : .handshake
    }
  }

  /// By the result of the chain's verification, an `X509_V_ERR_…` of OpenSSL's; zero means that the chain was good.
  private var verificationProblem: TransportFailure.TLSProblem {
    switch netcurl_get_long(easy, CURLINFO_SSL_VERIFYRESULT) {
    case 9, 10: .expired
    case _ where says("expired"): .expired
    case _ where says("host name") || says("hostname") || says("subject name"): .wrongHost
    default: .untrusted
    }
  }

  private func says(_ words: String) -> Bool {
    text.lowercased().contains(words.lowercased())
  }
}

extension Libcurl {
  static let outOfMemory = APIError(
    .transport(.other), reason: "libcurl has no memory left.", mayHaveReachedServer: false)

  /// - Throws: `APIError` of kind `unsupported` for an option that the linked libcurl does not have.
  static func check(_ code: CURLcode) throws {
    guard code != CURLE_OK else { return }
    guard code != CURLE_OUT_OF_MEMORY else { throw outOfMemory }
    let version = CurlTransport.capabilities.version
    throw APIError(
      .unsupported, reason: "libcurl \(version) refused a setting: \(String(cString: curl_easy_strerror(code))).")
  }

  static func check(_ code: CURLMcode) throws {
    guard code != CURLM_OK else { return }
    throw APIError(
      .transport(.other), reason: "libcurl could not begin: \(String(cString: curl_multi_strerror(code))).",
      mayHaveReachedServer: false)
  }
}

extension APIError {
  static func timedOut(_ phase: TransportFailure.Phase, afterRequest: Bool) -> APIError {
    let failure = TransportFailure.timedOut(phase)
    return APIError(.transport(failure), reason: failure.description, mayHaveReachedServer: afterRequest)
  }
}
