#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MultipartReader {
  /// One field or file of a form, with its content in memory.
  public struct CollectedPart: Sendable, Hashable {
    /// The fields in front of the content.
    public let fields: HTTPFields
    /// The field's name; see ``Part/name``.
    public let name: String
    /// What the sender calls the content, if it is a file; see ``Part/filename``.
    public let filename: String?
    /// The content.
    public let bytes: Data

    init(_ part: Part, bytes: Data) {
      fields = part.fields
      name = part.name
      filename = part.filename
      self.bytes = bytes
    }

    /// The content's type; `nil` when none is stated.
    public var contentType: String? { fields[.contentType] }

    /// A name for a file with the content; see ``Part/safeFilename(default:)``.
    public func safeFilename(default: String) -> String {
      SafeFilename.make(from: filename, default: `default`)
    }

    /// The content as UTF-8; `nil` when it is not.
    public var text: String? { String(validating: bytes, as: UTF8.self) }
  }
}
