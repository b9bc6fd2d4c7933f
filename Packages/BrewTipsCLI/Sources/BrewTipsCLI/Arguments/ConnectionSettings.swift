#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the options say about how the server is reached. Whether files and pins are good, the transport says.
struct ConnectionSettings: Equatable {
  /// The certificate authorities to trust; `nil` for the system's.
  var caFile: String?
  /// The client's certificate and its key.
  var identity: Identity?
  /// The public keys one of which the server must have; none allows every key.
  var pins: [String] = []
  var proxy: URL?

  struct Identity: Equatable {
    var certificate: String
    var key: String
  }
}

extension ConnectionSettings {
  init(_ arguments: ScannedArguments) throws(Failure) {
    caFile = arguments[.caFile]
    switch (arguments[.certificate], arguments[.key]) {
    case (let certificate?, let key?): identity = Identity(certificate: certificate, key: key)
    case (_?, nil): throw .usage("--cert needs the private key too: add --key FILE")
    case (nil, _?): throw .usage("--key needs the certificate too: add --cert FILE")
    case (nil, nil): break
    }
    pins = arguments[.pin]?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
    if let text = arguments[.proxy] { proxy = try Self.proxy(text) }
  }

  private static func proxy(_ text: String) throws(Failure) -> URL {
    let schemes = ["http://", "https://", "socks5://", "socks5h://"]
    guard schemes.contains(where: text.lowercased().hasPrefix),
      let url = URL(string: text, encodingInvalidCharacters: false), url.host()?.isEmpty == false, url.port != nil
    else {
      throw .usage("--proxy takes a URL with a port: write it as http://127.0.0.1:3128 or socks5h://127.0.0.1:1080")
    }
    return url
  }
}
