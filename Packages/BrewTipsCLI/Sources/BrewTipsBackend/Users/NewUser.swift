import NetCore
import NetLoopback

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A valid name and e-mail address.
struct NewUser: Sendable, Equatable {
  /// The most bytes of content that are read: enough for the longest name and address with every character escaped.
  static let maximumContentSize = 16 << 10
  static let maximumNameLength = 100
  static let maximumEmailSize = 254

  let name: String
  let email: String

  /// The user in a request's content.
  ///
  /// - Throws: ``/NetLoopback/LoopbackError``: 415 for content that is not declared as JSON, 400 for another form, 413 for
  ///   too much, 422 for a name or an address that cannot be one.
  init(_ request: LoopbackRequest) async throws {
    guard request.declaresJSON else {
      throw LoopbackError(.unsupportedMediaType, "Send JSON, with Content-Type: application/json.")
    }
    struct Content: Decodable {
      let name: String
      let email: String
    }
    let bytes = try await request.body.collect(upTo: Self.maximumContentSize)
    guard let content = try? JSONDecoder().decode(Content.self, from: bytes) else {
      throw LoopbackError(.badRequest, #"Send JSON such as {"name": "Ada", "email": "ada@example.com"}."#)
    }
    try self.init(name: content.name, email: content.email)
  }

  /// - Throws: ``/NetLoopback/LoopbackError`` with status 422, which names everything that is wrong.
  init(name: String, email: String) throws(LoopbackError) {
    let problems = [Self.problem(ofName: name), Self.problem(ofEmail: email)].compactMap(\.self)
    guard problems.isEmpty else { throw LoopbackError(.unprocessableContent, problems.joined(separator: " ")) }
    self.name = name
    self.email = email
  }

  private static func problem(ofName name: String) -> String? {
    if name.allSatisfy(\.isWhitespace) {
      "The name is empty."
    } else if name.count > maximumNameLength || name.utf8.count > 4 * maximumNameLength {
      "The name has more than \(maximumNameLength) characters."
    } else if name.unicodeScalars.contains(where: \.isInvisible) {
      "The name has a character that cannot be shown."
    } else {
      nil
    }
  }

  private static func problem(ofEmail email: String) -> String? {
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    return if email.utf8.count > maximumEmailSize {
      "The e-mail address has more than \(maximumEmailSize) bytes."
    } else if parts.count != 2 || parts.contains(where: \.isEmpty) || email.unicodeScalars.contains(where: isForeign) {
      "The e-mail address is not one such as ada@example.com."
    } else {
      nil
    }
  }

  /// Whether a character is in no e-mail address, or only in one that is quoted.
  private static func isForeign(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.isInvisible || #"<>()[],;:\""#.unicodeScalars.contains(scalar)
  }
}

extension Unicode.Scalar {
  /// Whether it has no shape of its own, but those that join letters and emoji.
  fileprivate var isInvisible: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
    case .format: self != "\u{200C}" && self != "\u{200D}"
    default: false
    }
  }
}
