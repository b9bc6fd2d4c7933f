import Dispatch
import NetCore
import Synchronization

/// The state, in a file that other processes share; in memory once the file could not be used.
///
/// Files are read and written on a queue of its own, so that a slow disk blocks no task.
final class StateStore: Sendable {
  private let file: StateFile?
  private let log: any LogSink
  private let queue = DispatchQueue(label: "brewtips.state")
  /// The state when it is not in the file.
  private let memory: Mutex<BackendState?>

  /// A store in a folder; one in memory when that is `nil`.
  init(folder: String?, log: any LogSink) {
    file = folder.map(StateFile.init)
    self.log = log
    memory = Mutex(folder == nil ? BackendState() : nil)
  }

  /// The state as it is now.
  func read() async -> BackendState {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.readNow()) }
    }
  }

  /// Changes the state, and returns when that is on the disk. A change that throws leaves it as it was.
  ///
  /// - Throws: What `change` throws.
  @discardableResult
  func update<Result: Sendable>(
    _ change: @escaping @Sendable (inout BackendState) throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Swift.Result { try self.updateNow(change) }) }
    }
  }

  private func readNow() -> BackendState {
    if let state = memory.withLock(\.self) { return state }
    if case .state(let state) = try? file?.load() { return state }
    return (try? updateNow { $0 }) ?? BackendState()  // which sets aside what is damaged, and says what is wrong
  }

  private func updateNow<Result>(_ change: (inout BackendState) throws -> Result) throws -> Result {
    guard let file, memory.withLock({ $0 == nil }) else { return try updateMemory(change) }
    do {
      return try file.locked { try update(file, change) }
    } catch let error as SystemError {
      var last = BackendState()
      if case .state(let state) = try? file.load() { last = state }
      keepInMemory(last, error)
      return try updateMemory(change)
    }
  }

  private func updateMemory<Result>(_ change: (inout BackendState) throws -> Result) throws -> Result {
    try memory.withLock { memory in
      var state = memory ?? BackendState()
      let result = try change(&state)
      memory = state
      return result
    }
  }

  /// Changes the file under its lock. When only writing fails, the change is kept in memory.
  private func update<Result>(
    _ file: StateFile, _ change: (inout BackendState) throws -> Result
  ) throws -> Result {
    let before = try loadOrBegin(file)
    var state = before
    let result = try change(&state)
    guard state != before else { return result }
    do throws(SystemError) {
      try file.save(state)
    } catch {
      keepInMemory(state, error)
    }
    return result
  }

  private func loadOrBegin(_ file: StateFile) throws(SystemError) -> BackendState {
    if case .state(let state) = try file.load() { return state }
    let name = try file.setAside()
    log.write("\(file.path) is damaged: it is called \(name) now, and a new one begins", level: .warning)
    return BackendState()
  }

  private func keepInMemory(_ state: BackendState, _ error: SystemError) {
    memory.withLock { $0 = state }
    log.write(
      "cannot keep data in \(file?.folder ?? ""): \(error). What is added is lost when this run ends", level: .warning)
  }
}
