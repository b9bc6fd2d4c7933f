import NetCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Passes a body on and stores it on the way: a chunk is stored before it is read, and the whole before its end is told, so
/// that a store that is slow slows its reader, and nothing piles up.
///
/// A body that is not read to its end, breaks, or is too long is not stored. A store that fails ends the storing and not the
/// body.
final class StoringBody: HTTPBodySource {
  private struct State {
    var writer: (any CacheWriter)?
    var stored: Int64 = 0
  }

  private let body: HTTPResponse.Body
  private let entry: NewEntry
  private let state: Mutex<State>

  init(_ body: HTTPResponse.Body, into writer: any CacheWriter, of entry: NewEntry) {
    self.body = body
    self.entry = entry
    state = Mutex(State(writer: writer))
  }

  deinit {
    abandon()
  }

  var trailers: HTTPFields { body.trailers }

  func next() async throws -> Data? {
    do {
      guard let chunk = try await body.nextChunk() else {
        // Taken away, so that nobody abandons what is being committed.
        if let writer = takeWriter() { await entry.commit(writer) }
        return nil
      }
      await store(chunk)
      return chunk
    } catch {
      abandon()
      throw error
    }
  }

  func cancel() {
    body.discard()
    abandon()
  }

  private func store(_ chunk: Data) async {
    let (writer, isTooLong) = state.withLock { state in
      state.stored += Int64(chunk.count)
      return (state.writer, state.stored > entry.cache.store.maximumBodySize)
    }
    guard let writer else { return }
    guard !isTooLong, await entry.cache.attempt({ try await writer.append(chunk) }) != nil else { return abandon() }
  }

  private func abandon() {
    takeWriter()?.abandon()
  }

  private func takeWriter() -> (any CacheWriter)? {
    state.withLock { state in
      defer { state.writer = nil }
      return state.writer
    }
  }
}
