@_spi(NetKits) import NetSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The file that held the state before the database did, `state.json`. It is taken over once. Its calls block.
struct EarlierStateFile: Sendable {
  /// What may be in the file.
  enum Content: Equatable {
    case state(BackendState)
    case damaged
  }

  /// The only version there was.
  private static let version = 1
  /// More than any state that was written.
  private static let maximumSize = 8 << 20

  let folder: String

  var path: String { folder + "/state.json" }
  var isThere: Bool { access(path, F_OK) == 0 }

  /// What is in the file; `nil` when there is none.
  ///
  /// - Throws: An error for what cannot be read, or was written by a version that is not known here.
  func content() throws(SQLiteError) -> Content? {
    struct Form: Decodable { let version: Int }
    guard let bytes = try bytes() else { return nil }
    guard let form = try? JSONDecoder().decode(Form.self, from: bytes) else { return .damaged }
    guard form.version <= Self.version else { throw SQLiteError("state.json was written by a newer version") }
    guard form.version == Self.version, let state = try? JSONDecoder().decode(BackendState.self, from: bytes),
      state.isSound
    else { return .damaged }
    return .state(state)
  }

  private func bytes() throws(SQLiteError) -> Data? {
    var info = stat()
    guard stat(path, &info) == 0 else {
      if errno == ENOENT { return nil }
      throw .system("read", path)
    }
    // Not to wait for the other end of a named pipe.
    guard info.st_mode & S_IFMT == S_IFREG else { throw SQLiteError("\(path) is not a regular file") }
    guard info.st_size <= Self.maximumSize else { return Data() }
    guard let bytes = FileManager.default.contents(atPath: path) else { throw .system("read", path) }
    return bytes
  }

  /// Gives the file another name, once its content is in the database or was found to be damaged.
  ///
  /// - Parameter report: Is told in a line when it was damaged.
  /// - Returns: Whether there is none any more.
  func putAway(report: (String) -> Void) -> Bool {
    guard let content = try? content() else { return !isThere }
    let time = Int(Date().timeIntervalSince1970)
    var name = "state.damaged-\(time).json"
    if content != .damaged {
      name = "state.imported.json"
      if access("\(folder)/\(name)", F_OK) == 0 { name = "state.imported-\(time).json" }
    }
    guard rename(path, "\(folder)/\(name)") == 0 else { return errno == ENOENT }
    if content == .damaged { report("\(path) is damaged: it is called \(name) now, and a new one begins") }
    return true
  }
}
