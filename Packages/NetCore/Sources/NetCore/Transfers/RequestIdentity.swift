#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Tells whether two requests ask for the same, without keeping what they ask for: a URL may hold a secret.
struct RequestIdentity: Hashable, Codable, Sendable {
  private let digest: String

  /// The identity of a request. Its fields and the client's base URL do not count.
  init(_ request: some APIRequest) {
    let place = request.absoluteURL?.absoluteString ?? request.path.encoded
    let digest = SHA256.digest(of: Data("\(place)?\(request.query.encoded)".utf8)).prefix(16)
    self.digest = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// A part of a file's name, which tells most requests apart.
  var forFilename: String { String(digest.prefix(8)) }
}
