import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends one response, or breaks it off where it says.
struct ResponseWriter {
  /// Why a connection ends before its response does.
  enum Break: Error {
    case fault(LoopbackResponse.Fault.Ending)
    /// The content could not be delivered as its head announced it.
    case failedContent(any Error)
  }

  /// Bodies up to this size are sent together with their head.
  private static let joinLimit = 256 << 10

  let channel: Channel
  let sendIdleTime: Duration

  /// Sends `response`, whose head is `head`.
  ///
  /// - Throws: ``Break``; ``Channel/Failure``; `CancellationError`.
  func send(_ response: LoopbackResponse, head: ResponseHead) async throws {
    let bytes = head.bytes
    switch response.fault?.place {
    case .beforeHead: break
    case .inHead: try await write(bytes[..<(bytes.count / 2)], response.pace)
    case .inBody(let count): try await sendBody(of: response, head: head, after: bytes, upTo: Int64(max(0, count)))
    case nil: try await sendBody(of: response, head: head, after: bytes, upTo: .max)
    }
    if let fault = response.fault { throw Break.fault(fault.ending) }
  }

  private func sendBody(
    of response: LoopbackResponse, head: ResponseHead, after headBytes: [UInt8], upTo limit: Int64
  ) async throws {
    if case .bytes(let body) = response.body.content, head.framing == .length(Int64(body.count)) {
      return try await sendBytes(body.prefix(Int(clamping: limit)), after: headBytes, response.pace)
    }
    try await write(headBytes, response.pace)
    guard head.framing != .none, limit > 0 || response.fault == nil else { return }
    let isWhole = try await sendChunks(of: response, framing: head.framing, upTo: limit)
    if isWhole, head.framing == .chunked { try await write(Self.lastChunk(response.trailers), response.pace) }
  }

  private func sendBytes(_ body: Data, after head: [UInt8], _ pace: LoopbackResponse.Pace?) async throws {
    if body.count <= Self.joinLimit {
      try await write(head + body, pace)
    } else {
      try await write(head, pace)
      try await write(body, pace)
    }
  }

  /// Sends up to `limit` bytes of the content as they come. Returns whether that was all of it.
  private func sendChunks(
    of response: LoopbackResponse, framing: ResponseHead.Framing, upTo limit: Int64
  ) async throws -> Bool {
    var sent: Int64 = 0
    var chunks = response.body.makeAsyncIterator()
    while var chunk = try await next(&chunks) {
      if chunk.isEmpty { continue }
      if case .length(let length) = framing, Int64(chunk.count) > length - sent { throw lengthBreak }
      chunk = chunk.prefix(Int(clamping: limit - sent))
      sent += Int64(chunk.count)
      if framing == .chunked {
        try await write(Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8), response.pace)
      } else {
        try await write(chunk, response.pace)
      }
      if sent == limit { return false }
    }
    if case .length(let length) = framing, sent != length { throw lengthBreak }
    return true
  }

  /// The next chunk. A sequence that ends because its task was cancelled has not given all of the content.
  private func next(_ chunks: inout HTTPBody.AsyncIterator) async throws -> Data? {
    do {
      let chunk = try await chunks.next()
      if chunk == nil { try Task.checkCancellation() }
      return chunk
    } catch {
      throw Break.failedContent(error)
    }
  }

  private var lengthBreak: Break {
    .failedContent(UnsendableResponse(description: "The content is not as long as its length says."))
  }

  private static func lastChunk(_ trailers: HTTPFields) -> [UInt8] {
    var bytes = Array("0\r\n".utf8)
    for field in trailers { bytes.append(field) }
    return bytes + Array("\r\n".utf8)
  }

  private func write(
    _ bytes: some ContiguousBytes & RandomAccessCollection<UInt8>, _ pace: LoopbackResponse.Pace?
  ) async throws {
    guard let pace else { return try await channel.write(bytes, limit: sendIdleTime) }
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      try await channel.write(rest.prefix(pace.bytes), limit: sendIdleTime)
      rest = rest.dropFirst(pace.bytes)
      if !rest.isEmpty { try await Task.sleep(for: pace.interval) }
    }
  }
}

// MARK: - Scripts

extension ResponseWriter {
  /// Takes the steps of a raw response.
  ///
  /// - Throws: ``Break`` at a step that ends the connection; ``Channel/Failure``; `CancellationError`.
  func run(_ steps: [LoopbackResponse.Step]) async throws {
    for step in steps {
      switch step {
      case .send(let bytes): try await channel.write(bytes, limit: sendIdleTime)
      case .pause(let duration): try await Task.sleep(for: duration)
      case .wait(let operation): await operation()
      case .waitForClientToLeave: await channel.discardUntilPeerEnds()
      case .halfClose: channel.endSending()
      case .close: throw Break.fault(.close)
      case .reset: throw Break.fault(.reset)
      }
    }
  }
}
