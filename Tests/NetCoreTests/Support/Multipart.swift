import Foundation
import NetCore

/// What is read of a form.
typealias ReadForm = Result<[MultipartReader.CollectedPart], MultipartError>

/// Reads a form that comes divided into `chunks`.
func readForm(
  _ chunks: [Data], contentType: String = "multipart/form-data; boundary=b", limits: MultipartReader.Limits = .init()
) async throws -> ReadForm {
  do {
    return .success(try await MultipartReader(Pieces(chunks), contentType: contentType, limits: limits).collect())
  } catch let error as MultipartError {
    return .failure(error)
  }
}

/// A sequence of what is there already.
struct Pieces: AsyncSequence, Sendable {
  private let pieces: [Data]

  init(_ pieces: [Data]) {
    self.pieces = pieces
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(rest: pieces[...])
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    var rest: ArraySlice<Data>

    mutating func next() async throws -> Data? {
      rest.popFirst()
    }
  }
}

extension Data {
  /// The bytes one by one.
  var bytewise: [Data] { map { Data([$0]) } }

  /// The bytes in pieces of `count`.
  func divided(by count: Int) -> [Data] {
    stride(from: 0, to: self.count, by: count).map { dropFirst($0).prefix(count) }
  }
}
