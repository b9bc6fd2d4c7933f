import NetCache
import NetCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A body that is read from the database, a piece at a time. Nothing is kept open between two of them.
final class StoredBody: HTTPBodySource {
  private struct State {
    /// The piece that was read to find out whether there is any.
    var first: Data?
    var number: Int64 = 0
    var rest: Int64
    var isCancelled = false
  }

  private let response: Int64
  private let store: SQLiteCacheStore
  private let state: Mutex<State>

  init(of response: StoredResponse, startingWith first: Data, in store: SQLiteCacheStore) {
    self.response = response.id
    self.store = store
    state = Mutex(State(first: first, rest: response.length))
  }

  var trailers: HTTPFields { [:] }

  func next() async throws -> Data? {
    let (first, number, rest, isCancelled) = state.withLock { state in
      defer { state.first = nil }
      return (state.first, state.number, state.rest, state.isCancelled)
    }
    if isCancelled { throw CancellationError() }
    guard rest > 0 else { return nil }
    let piece = if let first { first } else { try await read(number) }
    // It was removed or replaced meanwhile.
    guard let piece, !piece.isEmpty, piece.count <= rest else { throw APIError.transport(.truncated) }
    state.withLock { state in
      state.number += 1
      state.rest -= Int64(piece.count)
    }
    return piece
  }

  func cancel() {
    state.withLock { ($0.isCancelled, $0.first) = (true, nil) }
  }

  private func read(_ number: Int64) async throws -> Data? {
    do {
      return try await store.chunk(number, of: response)
    } catch let error as SQLiteCacheError {
      throw APIError(.transport(.truncated), reason: "The stored body cannot be read: \(error.description)")
    }
  }
}
