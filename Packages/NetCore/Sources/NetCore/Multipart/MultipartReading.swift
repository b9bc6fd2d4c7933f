#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The one reading of a form, shared by a reader, its parts and their bodies. It belongs to one task.
final class MultipartReading {
  /// How many parts have begun: the number of the one that is being read.
  private(set) var number = 0
  private var parser: MultipartParser
  private let nextBytes: () async throws -> Data?
  private var isContentAtEnd = true
  private var failure: (any Error)?

  init(_ parser: MultipartParser, nextBytes: @escaping () async throws -> Data?) {
    self.parser = parser
    self.nextBytes = nextBytes
  }

  /// The head of the next part, behind what is left of the one before; `nil` at the end.
  func nextPart() async throws -> MultipartPartHead? {
    while let event = try await nextEvent() {
      if case .head(let head) = event {
        number += 1
        isContentAtEnd = false
        return head
      }
    }
    isContentAtEnd = true
    return nil
  }

  /// The next bytes of a part's content; `nil` at its end.
  func nextChunk(ofPart part: Int) async throws -> Data? {
    guard part == number else {
      throw MultipartError(
        .passedBy, "The reader has gone on to another part: read a part's body before the next part.")
    }
    guard !isContentAtEnd else { return nil }
    if case .content(let bytes) = try await nextEvent() { return bytes }
    isContentAtEnd = true
    return nil
  }

  private func nextEvent() async throws -> MultipartParser.Event? {
    if let failure { throw failure }
    do {
      while true {
        if let event = try parser.next() { return event }
        try Task.checkCancellation()
        guard let bytes = try await nextBytes() else {
          try parser.finish()
          return nil
        }
        parser.feed(bytes)
      }
    } catch {
      failure = error
      throw error
    }
  }
}
