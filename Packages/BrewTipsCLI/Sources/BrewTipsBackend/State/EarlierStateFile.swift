#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The file with the state, `state.json`. Its calls block.
///
/// It is read as it is, since it is only ever replaced whole; it is changed under a lock that all processes respect.
struct StateFile: Sendable {
  /// What may be in the file.
  enum Content {
    case state(BackendState)
    case damaged
  }

  /// More than any state that is written here.
  private static let maximumSize = 8 << 20

  let folder: String

  var path: String { folder + "/state.json" }

  /// Runs `body` under the lock; makes the folder first when it is missing.
  ///
  /// - Throws: ``SystemError`` when there is no lock; what `body` throws.
  func locked<Result>(_ body: () throws -> Result) throws -> Result {
    try SystemFile.createFolder(folder)
    return try FileLock.holding(folder + "/state.lock", body)
  }

  /// What is in the file; a new state when there is none.
  func load() throws(SystemError) -> Content {
    struct Form: Decodable { let version: Int }
    guard let bytes = try SystemFile.read(path, upTo: Self.maximumSize) else { return .state(BackendState()) }
    if let form = try? JSONDecoder().decode(Form.self, from: bytes), form.version > BackendState.version {
      throw SystemError("state.json was written by a newer version")
    }
    guard let state = try? JSONDecoder().decode(BackendState.self, from: bytes), state.isSound else { return .damaged }
    return .state(state)
  }

  /// Replaces what is in the file. The caller holds the lock.
  func save(_ state: BackendState) throws(SystemError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let bytes = try? encoder.encode(state) else { throw SystemError("the state cannot be written as JSON") }
    try SystemFile.replace(path, with: bytes + Data("\n".utf8))
  }

  /// Gives the file another name, which it returns. The caller holds the lock.
  func setAside() throws(SystemError) -> String {
    let name = "state.damaged-\(Int(Date().timeIntervalSince1970)).json"
    try SystemFile.move(path, to: folder + "/" + name)
    return name
  }
}
