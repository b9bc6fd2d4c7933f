import NetCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A compressed body, decoded on its reader's side: piece by piece, as it is read.
final class DecodedBody: HTTPBodySource {
  /// Where the encoded bytes come from.
  enum Source {
    case exchange(Exchange)
    case memory(Data, trailers: HTTPFields)
  }

  private struct State: ~Copyable {
    var decoder: GzipDecoder
    /// Encoded bytes in memory that were not taken yet.
    var memory: Data?
  }

  private let source: Source
  private let state: Mutex<State>

  init(_ source: Source, format: GzipDecoder.Format, limits: CurlTransport.ContentDecoding) {
    self.source = source
    let memory: Data? = if case .memory(let bytes, _) = source { bytes } else { nil }
    state = Mutex(State(decoder: GzipDecoder(format, limits: limits), memory: memory))
  }

  func next() async throws -> Data? {
    do {
      while true {
        let piece = try state.withLock { try $0.decoder.next() }
        if !piece.isEmpty { return piece }
        guard let bytes = try await nextEncoded() else {
          try state.withLock { try $0.decoder.finish() }
          return nil
        }
        state.withLock { $0.decoder.feed(bytes) }
      }
    } catch {
      cancel()
      throw error
    }
  }

  private func nextEncoded() async throws -> Data? {
    if case .exchange(let exchange) = source { return try await exchange.next() }
    try Task.checkCancellation()
    return state.withLock { $0.memory.take() }
  }

  func cancel() {
    if case .exchange(let exchange) = source { exchange.cancel() }
  }

  var trailers: HTTPFields {
    switch source {
    case .exchange(let exchange): exchange.trailers
    case .memory(_, let trailers): trailers
    }
  }
}
