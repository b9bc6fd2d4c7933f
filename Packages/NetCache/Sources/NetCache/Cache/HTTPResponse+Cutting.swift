import NetCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPResponse {
  /// Makes this response 206 with a part of its content (RFC 9110, section 15.3.7).
  mutating func cut(to range: Range<Int64>, of length: Int64) {
    status = .partialContent
    fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
    fields[.contentLength] = "\(range.count)"
    body = body.cut(to: range)
  }
}

extension HTTPResponse.Body {
  /// The bytes of this body in `range`, which lies within it.
  func cut(to range: Range<Int64>) -> HTTPResponse.Body {
    if let bytes = bufferedBytes {
      let start = bytes.startIndex + Int(range.lowerBound)
      return HTTPResponse.Body(bytes[start..<start + range.count])
    }
    return HTTPResponse.Body(length: Int64(range.count), source: CutBody(self, range))
  }
}

/// Passes on a part of a body.
private final class CutBody: HTTPBodySource {
  private struct State {
    var skipped: Int64
    var rest: Int64
  }

  private let body: HTTPResponse.Body
  private let state: Mutex<State>

  init(_ body: HTTPResponse.Body, _ range: Range<Int64>) {
    self.body = body
    state = Mutex(State(skipped: range.lowerBound, rest: Int64(range.count)))
  }

  var trailers: HTTPFields { [:] }

  func next() async throws -> Data? {
    while state.withLock({ $0.rest > 0 }) {
      guard let chunk = try await body.nextChunk() else { throw APIError.transport(.truncated) }
      let part = state.withLock { state in
        let part = chunk.dropFirst(Int(min(state.skipped, Int64(chunk.count))))
          .prefix(Int(min(state.rest, Int64(chunk.count))))
        state.skipped -= min(state.skipped, Int64(chunk.count))
        state.rest -= Int64(part.count)
        return part
      }
      if !part.isEmpty { return part }
    }
    body.discard()
    return nil
  }

  func cancel() {
    body.discard()
  }
}
