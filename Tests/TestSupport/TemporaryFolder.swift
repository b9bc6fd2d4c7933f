public import Foundation

/// A folder that goes with the test.
public final class TemporaryFolder: Sendable {
  /// Where it is.
  public let url: URL

  /// Makes an empty folder.
  public init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// The path of a file in it.
  public func path(_ name: String) -> String {
    url.appending(path: name).path
  }

  /// Writes a file; its path.
  @discardableResult
  public func write(_ bytes: Data, to name: String) throws -> String {
    try bytes.write(to: url.appending(path: name))
    return path(name)
  }

  /// Writes a file; its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try write(Data(text.utf8), to: name)
  }
}
