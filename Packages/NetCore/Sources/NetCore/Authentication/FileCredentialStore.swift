#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keeps credentials in a file that only its owner may read, safe between processes: those that share the file renew one
/// after the other, and who comes later finds what the one before got.
///
/// The file has mode 0600 and is replaced in one step; folders that are missing are made with mode 0700. Beside it is a
/// file for the lock, of the same name with `.lock`, which stays. The tokens are not encrypted. A file that cannot be
/// understood counts as empty.
public struct FileCredentialStore: CredentialStore {
  /// The most bytes such a file has: 256 KiB.
  public static let maximumSize = 256 << 10

  private let path: String
  private let lockTimeout: Duration
  private let timeSource: TimeSource

  /// A store in `file`, which need not exist.
  ///
  /// - Parameters:
  ///   - file: Where the file is, or is to be.
  ///   - lockTimeout: How long to wait while others have the file; above the time of their renewals. Default: 60 seconds.
  ///   - timeSource: Where time comes from. Default: the machine's clocks.
  public init(file: URL, lockTimeout: Duration = .seconds(60), timeSource: TimeSource = .system) {
    path = file.path
    self.lockTimeout = lockTimeout
    self.timeSource = timeSource
  }

  /// What is stored; `nil` for nothing.
  ///
  /// - Throws: ``APIError`` of kind `invalidRequest` when the file cannot be read.
  public func load() async throws -> BearerCredentials? {
    guard let bytes = try await FileIO.contents(ofFileAt: path, upTo: Self.maximumSize) else { return nil }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    return try? decoder.decode(BearerCredentials.self, from: bytes)
  }

  /// Lets `change` change what is stored while nobody else does, in this process or another.
  ///
  /// - Throws: ``APIError`` of kind `invalidRequest` when a file cannot be read or written, of kind `transport` when others
  ///   had the file for too long; `CancellationError` while it waits; what `change` throws.
  public func update<Result: Sendable>(
    _ change: @Sendable (inout BearerCredentials?) async throws -> Result
  ) async throws -> Result {
    try await FileIO.makeFolder(forFileAt: path)
    let lock = try await FileLock.acquire(fileAt: path + ".lock", within: lockTimeout, timeSource: timeSource)
    defer { withExtendedLifetime(lock) {} }
    let stored = try await load()
    var changed = stored
    let result = try await change(&changed)
    if changed != stored || changed == nil { try await store(changed) }
    return result
  }

  private func store(_ credentials: BearerCredentials?) async throws {
    guard let credentials else { return try await FileIO.remove(fileAt: path) }
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    let bytes = try encoder.encode(credentials)
    guard bytes.count <= Self.maximumSize else {
      throw APIError.invalidRequest("The credentials have \(bytes.count) bytes, more than such a file may have.")
    }
    try await FileIO.replace(fileAt: path, with: bytes)
  }
}
