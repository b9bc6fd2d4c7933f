#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Why a body could not be decoded.
public struct DecodingFailure: Sendable, Hashable {
  /// Where in the content, such as `users[3].email`; empty for the content as a whole.
  public let path: String
  /// The type that was asked for there, such as `String`; `nil` when the decoder did not say.
  public let expected: String?
  /// What was found instead, in a sentence without values of the content.
  public let problem: String
  /// The beginning of the content, with what ``Redactor/standard`` does not allow hidden.
  public let excerpt: String

  init(_ error: any Error, of type: Any.Type, in content: Data) {
    excerpt = Redactor.standard.excerpt(of: content, contentType: nil)
    switch error {
    case DecodingError.typeMismatch(let type, let context):
      (path, expected) = (Self.path(context.codingPath), String(describing: type))
      problem = "another type was found"
    case DecodingError.valueNotFound(let type, let context):
      (path, expected) = (Self.path(context.codingPath), String(describing: type))
      problem = "null was found"
    case DecodingError.keyNotFound(let key, let context):
      (path, expected) = (Self.path(context.codingPath + [key]), nil)
      problem = "the key is missing"
    case DecodingError.dataCorrupted(let context):
      // The decoder's own words are left out: they often quote the value.
      let isWhole = context.codingPath.isEmpty
      (path, expected) = (Self.path(context.codingPath), isWhole ? String(describing: type) : nil)
      problem = isWhole ? "the content is malformed" : "the value there is not valid"
    default:
      (path, expected) = ("", String(describing: type))
      problem = "the decoder failed with a \(Swift.type(of: error))"
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.reduce(into: "") { path, key in
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        // A dictionary's keys are the server's.
        let name = key.stringValue.displayable(upTo: 100).replacing("\n", with: " ")
        path += path.isEmpty ? name : ".\(name)"
      }
    }
  }
}

extension DecodingFailure: CustomStringConvertible {
  /// `users[3].email: expected String, null was found`.
  public var description: String {
    let place = path.isEmpty ? "the content" : path
    return "\(place): " + (expected.map { "expected \($0), " } ?? "") + problem
  }
}
