/// Why a form could not be read.
public struct MultipartError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong, for a `switch`.
  public enum Kind: Sendable, Hashable {
    /// The content is not `multipart/form-data`, or its type names no usable boundary.
    case notMultipart
    /// The content breaks the rules of RFC 2046 or RFC 7578.
    case malformed
    /// The content ended before its last delimiter.
    case truncated
    /// The form has more parts than the limit.
    case tooManyParts
    /// The fields of a part have more bytes than the limit.
    case headTooLarge
    /// A part has more bytes than the limit.
    case partTooLarge
    /// The form as a whole has more bytes than the limit.
    case tooLarge
    /// The part can no longer be read, because the reader has gone on to the next.
    case passedBy
  }

  /// What went wrong.
  public let kind: Kind
  /// What exactly: a sentence for developers, without anything of the content.
  public let reason: String

  init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }

  static func malformed(_ reason: String) -> Self {
    MultipartError(.malformed, reason)
  }

  /// Whether the content has more of something than a limit allows, which a server answers with status 413.
  public var isTooLarge: Bool {
    switch kind {
    case .tooManyParts, .headTooLarge, .partTooLarge, .tooLarge: true
    case .notMultipart, .malformed, .truncated, .passedBy: false
    }
  }

  /// Kind and reason.
  public var description: String { "\(kind): \(reason)" }
}
