import Foundation
import NetCore
import NetTesting
import Synchronization
import TestSupport

/// What the requests for a file get, without a network: ranges, validators, and bodies that break off.
final class RangeServer: Sendable {
  struct File {
    var content: Data
    var validator = #""v1""#
    var fields: HTTPFields = [:]
    var knowsRanges = true
  }

  private struct State {
    var file: File
    var cuts: [Int?]
    var ranges: [String?] = []
  }

  private let state: Mutex<State>

  /// - Parameter cuts: After how many bytes each body breaks off, in turn; `nil` for not at all, as all after these.
  init(_ file: File, cuts: [Int?] = []) {
    state = Mutex(State(file: file, cuts: cuts))
  }

  convenience init(_ content: Data, cuts: [Int?] = []) {
    self.init(File(content: content), cuts: cuts)
  }

  /// The `Range` of each request so far.
  var ranges: [String?] { state.withLock { $0.ranges } }

  /// Changes the file.
  func change(_ change: (inout File) -> Void) {
    state.withLock { change(&$0.file) }
  }

  func answer(_ request: RecordedRequest) -> HTTPResponse {
    let range = request.fields[.range]
    let (file, cut) = state.withLock { state in
      state.ranges.append(range)
      return (state.file, state.cuts.isEmpty ? nil : state.cuts.removeFirst())
    }
    var fields = file.fields
    if !file.validator.isEmpty { fields[.eTag] = file.validator }
    let isCurrent = request.fields[.ifRange] == file.validator
    guard file.knowsRanges, isCurrent, let range, let first = Int(range.dropFirst(6).dropLast()) else {
      return HTTPResponse(fields: fields, body: Self.body(file.content, cut))
    }
    guard first < file.content.count else {
      fields[.contentRange] = "bytes */\(file.content.count)"
      return HTTPResponse(status: 416, fields: fields)
    }
    fields[.contentRange] = "bytes \(first)-\(file.content.count - 1)/\(file.content.count)"
    return HTTPResponse(status: .partialContent, fields: fields, body: Self.body(file.content.dropFirst(first), cut))
  }

  private static func body(_ content: Data, _ cut: Int?) -> HTTPResponse.Body {
    HTTPResponse.Body(length: Int64(content.count), source: CutBody(content, after: cut))
  }
}

extension HTTPClient {
  /// A client of a server without a network.
  static func asking(_ server: RangeServer) -> HTTPClient {
    makeClient(ClosureTransport { server.answer($0) })
  }
}

/// A body in chunks of up to 1,000 bytes, which breaks off.
final class CutBody: HTTPBodySource {
  private let rest: Mutex<(content: Data, beforeCut: Int?)>
  let trailers: HTTPFields = [:]

  init(_ content: Data, after cut: Int?) {
    rest = Mutex((content, cut))
  }

  func next() async throws -> Data? {
    try Task.checkCancellation()
    return try rest.withLock { rest in
      let count = min(1_000, rest.content.count, rest.beforeCut ?? .max)
      if count == 0, !rest.content.isEmpty { throw APIError.transport(.connectionLost) }
      defer { rest = (rest.content.dropFirst(count), rest.beforeCut.map { $0 - count }) }
      return count == 0 ? nil : Data(rest.content.prefix(count))
    }
  }

  func cancel() {}
}

/// Bytes that follow from a seed.
func someBytes(_ count: Int, seed: UInt64 = 1) -> Data {
  var generator = SeededGenerator(seed: seed)
  var bytes = Data(capacity: count + 8)
  while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
  return bytes.prefix(count)
}
