#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MultipartReader {
  /// One field or file of a form that is being read.
  public struct Part {
    /// The fields in front of the content.
    public let fields: HTTPFields
    /// The field's name, with a browser's escapes undone.
    public let name: String
    /// What the sender calls the content, if it is a file, with a browser's escapes undone. It may be anything, a path too:
    /// see ``safeFilename(default:)``.
    public let filename: String?
    /// The content, read before the next part is asked for.
    public let body: Body

    init(_ head: MultipartPartHead, number: Int, reading: MultipartReading) {
      fields = head.fields
      name = head.name
      filename = head.filename
      body = Body(number: number, reading: reading)
    }

    /// The content's type; `nil` when none is stated, which means `text/plain` (RFC 7578, section 4.4).
    public var contentType: String? { fields[.contentType] }

    /// A name for a file with the content, made of ``filename``: one component of a path, of at most 255 bytes, not hidden,
    /// reserved by no system, without control and formatting characters. Two parts may have the same.
    ///
    /// - Parameter default: The answer, unchanged, when there is no filename or nothing is left of it.
    public func safeFilename(default: String) -> String {
      SafeFilename.make(from: filename, default: `default`)
    }

    /// All bytes that are left of the content, at most ``Limits/maximumPartSize``.
    ///
    /// - Throws: ``MultipartError``, and what the source throws.
    public func collect() async throws -> Data {
      var bytes = Data()
      for try await chunk in body { bytes.append(chunk) }
      return bytes
    }

    /// The content as UTF-8, whatever its type says.
    ///
    /// - Throws: ``MultipartError``, of kind `malformed` when the content is not UTF-8, and what the source throws.
    public func text() async throws -> String {
      guard let text = String(validating: try await collect(), as: UTF8.self) else {
        throw MultipartError.malformed("The content of a part is not UTF-8.")
      }
      return text
    }
  }
}

@available(*, unavailable)
extension MultipartReader.Part: Sendable {}
