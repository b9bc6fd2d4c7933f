import NetCache
@_spi(NetKits) import NetSQLite
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A response on its way into the database. Its body is gathered to pieces, each written in a transaction.
final class StoringWriter: CacheWriter {
  private struct State {
    /// What has come since the last whole piece.
    var rest = Data()
    var length: Int64 = 0
    /// What the response will be called, once a piece was written.
    var response: Int64?
    var chunks: Int64 = 0
    /// Nothing more is written.
    var isOver = false
  }

  private let head: StoredHead
  private let store: SQLiteCacheStore
  private let state = Mutex(State())

  init(_ head: StoredHead, in store: SQLiteCacheStore) {
    self.head = head
    self.store = store
  }

  deinit {
    abandon()
  }

  func append(_ bytes: Data) async throws {
    let pieces = state.withLock { state in
      state.length += Int64(bytes.count)
      if state.length > store.maximumBodySize { (state.isOver, state.rest) = (true, Data()) }
      guard !state.isOver else { return Data() }
      state.rest.append(bytes)
      let size = state.rest.count / Schema.chunkSize * Schema.chunkSize
      defer { state.rest = Data(state.rest.dropFirst(size)) }
      return state.rest.prefix(size)
    }
    guard !pieces.isEmpty else { return }
    try await store.write { [self] writer throws(SQLiteError) in
      let (response, chunks, isOver) = state.withLock { ($0.response, $0.chunks, $0.isOver) }
      guard !isOver else { return }
      let number = try writer.append(pieces, to: response, number: chunks)
      // Noted here, and not by the task that may no longer wait.
      let isAbandoned = state.withLock { state in
        state.response = number
        state.chunks += Int64(pieces.count / Schema.chunkSize)
        return state.isOver
      }
      // Whoever abandoned it meanwhile did not know yet what to discard.
      if isAbandoned { try writer.discard(number) }
    }
  }

  func commit() async throws {
    try await store.write { [self] writer throws(SQLiteError) in
      let state = state.withLock(\.self)
      guard !state.isOver else { return }
      if let response = state.response {
        try writer.commit(head, response: response, rest: state.rest, number: state.chunks, length: state.length)
      } else {
        try writer.insert(head, body: state.rest)
      }
      self.state.withLock { $0.isOver = true }
    }
  }

  func abandon() {
    let response = state.withLock { state in
      defer { (state.isOver, state.rest) = (true, Data()) }
      return state.response
    }
    // Does nothing to a response that was committed.
    if let response { store.postWrite { writer throws(SQLiteError) in try writer.discard(response) } }
  }
}
