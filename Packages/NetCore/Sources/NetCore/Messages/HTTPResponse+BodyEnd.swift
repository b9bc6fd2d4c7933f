import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPResponse.Body {
  /// This body, which tells once how it ended: with `nil` when it was read to its end, with the error that broke it, or
  /// with `CancellationError` when it was dropped or discarded before.
  func onEnd(_ tell: @escaping @Sendable ((any Error)?) -> Void) -> HTTPResponse.Body {
    onEnd { error, _ in tell(error) }
  }

  /// The same, and how many bytes were read.
  func onEnd(_ tell: @escaping @Sendable ((any Error)?, _ bytes: Int64) -> Void) -> HTTPResponse.Body {
    HTTPResponse.Body(length: length, source: WatchedBody(self, tell))
  }
}

/// Passes a body on and tells how it ended.
private final class WatchedBody: HTTPBodySource {
  private let body: HTTPResponse.Body
  private let tell: @Sendable ((any Error)?, Int64) -> Void
  private let bytes = Atomic<Int64>(0)
  private let isOpen = OneShot()

  init(_ body: HTTPResponse.Body, _ tell: @escaping @Sendable ((any Error)?, Int64) -> Void) {
    self.body = body
    self.tell = tell
  }

  var trailers: HTTPFields { body.trailers }

  func next() async throws -> Data? {
    do {
      let chunk = try await body.nextChunk()
      if let chunk { bytes.add(Int64(chunk.count), ordering: .relaxed) } else { end(nil) }
      return chunk
    } catch {
      end(error)
      throw error
    }
  }

  func cancel() {
    body.discard()
    end(CancellationError())
  }

  private func end(_ error: (any Error)?) {
    if isOpen.take() { tell(error, bytes.load(ordering: .relaxed)) }
  }
}
