public import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Compresses the content of requests with gzip, and says so in `Content-Encoding` (RFC 9110, section 8.4).
///
///     configuration.attemptMiddlewares = [GzipRequestBodies()]
///
/// HTTP has no way to ask beforehand whether a server takes it: use it for servers that are known to. One that does not may
/// answer with status 415 (RFC 7694), or fail in a way of its own.
///
/// Left as they are: small bodies; what is encoded, or compressed by its nature (images, video, audio, archives); and requests
/// with a field that is true of the content only as it is (a digest, a range).
public struct GzipRequestBodies: HTTPMiddleware {
  /// The fewest bytes of a body that is compressed; one of unknown length always is. Default: 1024, below which gzip saves
  /// no packet.
  public let minimumSize: Int64
  /// From 1, fast, to 9, small. Default: 6.
  public let level: Int

  /// A middleware that compresses bodies of `minimumSize` bytes and more.
  public init(minimumSize: Int64 = 1024, level: Int = 6) {
    self.minimumSize = minimumSize
    self.level = level
  }

  /// Sends `request` with its body compressed.
  public func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    guard isWorthwhile(request) else { return try await next.send(request, context: context) }
    var request = request
    request.body = request.body.gzipped(level: level)
    request.fields[.contentEncoding] = "gzip"
    request.fields.remove(.contentLength)
    return try await next.send(request, context: context)
  }

  /// Whether the body of `request` is compressed.
  func isWorthwhile(_ request: HTTPRequest) -> Bool {
    guard !request.body.isEmpty, request.body.length ?? .max >= minimumSize else { return false }
    return !Self.bindingFields.contains(where: request.fields.contains)
      && !Self.isCompressed(request.fields[.contentType] ?? "")
  }

  /// The fields that are true of the content only as it is.
  private static let bindingFields: [HTTPField.Name] = [
    .contentEncoding, .contentRange, "Content-Digest", "Repr-Digest", "Digest", "Content-MD5",
  ]

  private static func isCompressed(_ contentType: String) -> Bool {
    let type = contentType.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
    let family = type.prefix { $0 != "/" }
    return switch family {
    case "image": !["image/svg+xml", "image/bmp", "image/tiff"].contains(type)
    case "video", "audio": true
    default: compressedTypes.contains(type)
    }
  }

  private static let compressedTypes: Set<String> = [
    "application/gzip", "application/zip", "application/zstd", "application/x-7z-compressed", "application/x-bzip2",
    "application/x-gzip", "application/x-xz", "font/woff", "font/woff2",
  ]
}

extension HTTPMiddleware where Self == GzipRequestBodies {
  /// Compresses the content of requests; see ``GzipRequestBodies``.
  public static var gzipRequestBodies: GzipRequestBodies { GzipRequestBodies() }
}
