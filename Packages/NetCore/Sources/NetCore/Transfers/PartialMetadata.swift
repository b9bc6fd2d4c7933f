#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is known about a file whose content has not all come yet. It is kept beside it, for the next run.
struct PartialMetadata: Codable, Equatable, Sendable {
  /// The most bytes of its written form.
  static let maximumSize = 16 << 10
  /// The form that this kit writes; it reads no other.
  private static let currentVersion = 1
  /// The most bytes of a name that is kept.
  private static let maximumNameSize = 1_000

  private var version = currentVersion
  /// What was asked for.
  var request: RequestIdentity
  /// What tells that the content is still the same; `nil` when nothing does, and it has to begin anew.
  var validator: String?
  /// The length of the whole in bytes, when it is known.
  var total: Int64?
  /// The SHA-256 that the server gave.
  var sha256: Data?
  /// What the server calls the file.
  var filename: String?

  /// What a response tells that brings all of the content.
  init(_ response: HTTPResponse, to request: RequestIdentity, now: Date) {
    let fields = response.fields
    self.request = request
    let mayGoOn = !fields.haveContentCoding && fields[.acceptRanges]?.lowercased() != "none"
    validator = mayGoOn ? StrongValidator.find(in: fields, now: now) : nil
    total = response.body.length
    // The digest is that of the coded content, which a transport may have decoded.
    sha256 = fields.haveContentCoding ? nil : fields[.reprDigest].flatMap(ReprDigest.sha256)
    let name = fields[.contentDisposition].flatMap { ContentDisposition($0).filename }
    filename = name.flatMap { $0.utf8.count <= Self.maximumNameSize ? $0 : nil }
  }

  /// Reads the written form.
  ///
  /// - Returns: `nil` for anything that this kit does not write.
  init?(reading bytes: Data) {
    guard bytes.count <= Self.maximumSize, let metadata = try? JSONDecoder().decode(Self.self, from: bytes),
      metadata.version == Self.currentVersion, metadata.total ?? 0 >= 0
    else { return nil }
    self = metadata
  }

  /// The written form.
  func written() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try encoder.encode(self)
  }

  /// What may be asked for when `size` bytes are there; `nil` when only all of it may.
  ///
  /// When all bytes are there, the last is asked for again: the answer tells whether they are still the right ones.
  func continuation(after size: Int64) -> DownloadDecision.Continuation? {
    guard let validator, size <= total ?? .max else { return nil }
    let offset = size == total ? size - 1 : size
    return offset > 0 ? DownloadDecision.Continuation(offset: offset, validator: validator, total: total) : nil
  }
}

extension HTTPField.Name {
  static let acceptRanges: Self = "Accept-Ranges"
  static let reprDigest: Self = "Repr-Digest"
}
