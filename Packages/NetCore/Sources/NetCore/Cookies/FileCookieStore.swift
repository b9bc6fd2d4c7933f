#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keeps cookies in a file that only its owner may read.
///
/// The file has mode 0600 and is replaced in one step; folders that are missing are made with mode 0700. The cookies are not
/// encrypted. A file that is no file of cookies is set aside, under its name with `.broken`. One that cannot be read now stays
/// where it is.
///
/// Give each jar a file of its own: of two that share one, the last to save wins.
public struct FileCookieStore: CookieStore {
  /// The most bytes such a file has: 32 MiB, which is more than a jar with the default limits can fill.
  public static let maximumSize = 32 << 20

  private let path: String

  /// A store in `file`, which need not exist.
  public init(file: URL) {
    path = file.path
  }

  /// The cookies of the file; none when there is no file.
  ///
  /// - Throws: ``APIError`` of kind `invalidRequest` when the file was set aside, or could not be; or when it cannot be read,
  ///   as a folder, or while too many files are open.
  public func load() async throws -> [Cookie] {
    // One byte more than it may have tells that it has too many. What fails here says nothing about what the file holds.
    guard let bytes = try await FileIO.contents(ofFileAt: path, upTo: Self.maximumSize + 1) else { return [] }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    let isTooLarge = bytes.count > Self.maximumSize
    if !isTooLarge, let cookies = try? decoder.decode([Cookie].self, from: bytes) { return cookies }
    try await FileIO.move(fileAt: path, to: path + ".broken")
    let problem = isTooLarge ? "has more than \(Self.maximumSize) bytes" : "is no file of cookies"
    throw APIError.invalidRequest("\(path) \(problem). It is now called \(path).broken.")
  }

  /// Replaces the file.
  ///
  /// - Throws: ``APIError`` of kind `invalidRequest` when it cannot be written, or the cookies are too large for it.
  public func save(_ cookies: [Cookie]) async throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    let bytes = try encoder.encode(cookies)
    guard bytes.count <= Self.maximumSize else {
      throw APIError.invalidRequest("The cookies have \(bytes.count) bytes, more than such a file may have.")
    }
    try await FileIO.makeFolder(forFileAt: path)
    try await FileIO.replace(fileAt: path, with: bytes)
  }
}
